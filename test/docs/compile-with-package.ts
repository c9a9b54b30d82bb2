import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, parse } from "node:path";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";
import entries from "../../tools/entries.json" with { type: "json" };
import { root } from "./markdown.ts";

/** The published names are taken from the source, so that nothing has to be built. */
const paths = Object.fromEntries(
  Object.entries(entries).map(([name, source]) => [
    `hookporter${name.slice(1)}`,
    [join(root, source)],
  ]),
);

/**
 * Compiles files that import the package by its name; returns what the compiler says, nothing if
 * all is well.
 *
 * @param more - a folder of packages that these files import besides those of the root
 */
export async function compileWithPackage(
  files: ReadonlyMap<string, string>,
  more?: string,
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "hookporter-docs-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const packages = join(folder, "node_modules");
  if (more === undefined) symlinkSync(join(root, "node_modules"), packages, "junction");
  else {
    mkdirSync(packages);
    for (const modules of [more, join(root, "node_modules")]) linkAll(modules, packages);
  }
  for (const [name, code] of files) writeFileSync(join(folder, name), code);
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  const compilerOptions = { rootDir: parse(root).root, noUnusedLocals: false, paths };
  const settings = {
    extends: join(root, "tsconfig.json"),
    compilerOptions,
    files: [...files.keys()],
    include: [],
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(settings));
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  const { stdout } = await promisify(execFile)(process.execPath, [tsc, "-p", folder]).catch(
    (error) => error,
  );
  return stdout;
}

/** Links packages, and scopes as a whole, that are not there yet. */
function linkAll(from: string, to: string): void {
  const known = readdirSync(to);
  for (const name of readdirSync(from)) {
    const isPackage = !name.startsWith(".") && !known.includes(name);
    if (isPackage) symlinkSync(join(from, name), join(to, name), "junction");
  }
}
