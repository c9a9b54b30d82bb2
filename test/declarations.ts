import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  API,
  type Checker,
  type Project,
  SymbolFlags,
  type Symbol as TypeSymbol,
} from "typescript/unstable/sync";
import entries from "../tools/entries.json" with { type: "json" };

const root = join(import.meta.dirname, "..");
const tsc = join(root, "node_modules", "typescript", "bin", "tsc");

/** The entry points by import, as their declarations are named. */
export const ENTRIES = Object.entries(entries).map(([name, source]) => ({
  name: `hookporter${name.slice(1)}`,
  file: source.replace(/\.ts$/, ".d.ts"),
}));

/** The declarations that are published, read by the compiler. */
export interface Declarations {
  readonly project: Project;
  /** The folder that they are in. */
  readonly folder: string;
  /** What a module exports, by its declaration. */
  exportsOf(file: string): readonly TypeSymbol[];
  close(): void;
}

/** Emits the declarations from the source, so that nothing has to be built, and opens them. */
export function openDeclarations(): Declarations {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "hookporter-types-")));
  execFileSync(process.execPath, [
    tsc,
    "-p",
    join(root, "tsconfig.build.json"),
    "--outDir",
    folder,
  ]);
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"), "junction");
  const config = join(folder, "tsconfig.json");
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  const compilerOptions = { rootDir: folder, types: ["node"], noEmit: true };
  const files = ENTRIES.map(({ file }) => file);
  const settings = { extends: join(root, "tsconfig.json"), compilerOptions, files, include: [] };
  writeFileSync(config, JSON.stringify(settings));
  const api = new API();
  const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
  if (project === undefined) throw new Error("the declarations could not be opened");
  return {
    project,
    folder,
    exportsOf: (file) => {
      const { program, checker } = project;
      const source = program.getSourceFile(join(folder, file));
      const symbol = source === undefined ? undefined : checker.getSymbolAtLocation(source);
      if (symbol === undefined) throw new Error(`${file} is no module`);
      return checker.getExportsOfModule(symbol).map((found) => origin(found, checker));
    },
    close: () => {
      api.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** What an import or a re-export stands for. */
export function origin(symbol: TypeSymbol, checker: Checker): TypeSymbol {
  return (symbol.flags & SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol);
}
