import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Node } from "typescript/unstable/ast";
import {
  isExpressionWithTypeArguments,
  isIdentifier,
  isImportTypeNode,
  isTypeAliasDeclaration,
  isTypeParameterDeclaration,
  isTypeQueryNode,
  isTypeReferenceNode,
} from "typescript/unstable/ast/is";
import {
  API,
  type Checker,
  type Project,
  SymbolFlags,
  type Symbol as TypeSymbol,
} from "typescript/unstable/sync";
import { afterAll, beforeAll, expect, it } from "vitest";
import packageJson from "../package.json" with { type: "json" };

const root = join(import.meta.dirname, "..");
const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
const folder = realpathSync(mkdtempSync(join(tmpdir(), "hookporter-types-")));

/** The entry points by import, as their declarations are named. An adapter's user has those of `hookporter` too. */
const ENTRIES = Object.entries(packageJson.exports).flatMap(([name, target]) => {
  if (typeof target === "string") return [];
  const file = target.types.replace("./dist/types/", "");
  return [{ name: `hookporter${name.slice(1)}`, file }];
});
const NEEDS_MAIN = ["hookporter/express", "hookporter/node", "hookporter/testing"];

/** The class has two types: `library-error.ts` exports it with the codes that a program meets. */
const SAME_CLASS: Readonly<Record<string, string>> = { "src/errors.d.ts": "src/library-error.d.ts" };

let api: API;
let project: Project;

beforeAll(() => {
  execFileSync(process.execPath, [tsc, "-p", join(root, "tsconfig.build.json"), "--outDir", folder]);
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"), "junction");
  const config = join(folder, "tsconfig.json");
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  const compilerOptions = { rootDir: folder, types: ["node"], noEmit: true, isolatedModules: false };
  const files = ENTRIES.map(({ file }) => file);
  writeFileSync(
    config,
    JSON.stringify({ extends: join(root, "tsconfig.json"), compilerOptions, files, include: [] }),
  );
  api = new API();
  const opened = api.updateSnapshot({ openProjects: [config] }).getProject(config);
  if (opened === undefined) throw new Error("the declarations could not be opened");
  project = opened;
}, 60_000);

afterAll(() => {
  api.close();
  rmSync(folder, { recursive: true, force: true });
});

it.each(ENTRIES)("$name exports every type that its declarations mention", ({ name, file }) => {
  const main = NEEDS_MAIN.includes(name) ? exportsOf("src/index.d.ts") : [];
  const exported = exportsOf(file);
  expect(exported.length).toBeGreaterThan(1);
  expect(missing([...exported, ...main])).toEqual([]);
});

it("a mentioned type that is not exported is found", () => {
  const some = exportsOf("src/index.d.ts").filter(({ name }) => ["Inbox", "Outcome"].includes(name));
  const found = missing(some);
  expect(found).toContain("src/inbox/inbox.d.ts: Entry");
  expect(found).toContain("src/event/delivery.d.ts: Delivery");
  expect(found).toContain("src/receiver/outcome.d.ts: Accepted");
  expect(found).not.toContain("src/inbox/inbox.d.ts: Inbox");
});

/** What a module exports, by its declaration. */
function exportsOf(file: string): readonly TypeSymbol[] {
  const { program, checker } = project;
  const source = program.getSourceFile(join(folder, file));
  const symbol = source === undefined ? undefined : checker.getSymbolAtLocation(source);
  if (symbol === undefined) throw new Error(`${file} is no module`);
  return checker.getExportsOfModule(symbol).map((found) => origin(found, checker));
}

/** The types that declarations mention and that are not among them. */
function missing(exported: readonly TypeSymbol[]): readonly string[] {
  const { checker } = project;
  const known = new Set(exported.map(({ id }) => id));
  const names = new Set(exported.flatMap((symbol) => placesOf(symbol).map((place) => nameOf(place, symbol))));
  const visited = new Set<number>();
  const found = new Set<string>();
  const visit = (symbol: TypeSymbol): void => {
    if (visited.has(symbol.id)) return;
    visited.add(symbol.id);
    for (const declaration of symbol.declarations) {
      const node = declaration.resolve(project);
      if (node !== undefined && !isOfStrings(node, checker)) look(node);
    }
  };
  const look = (node: Node): void => {
    const mentioned = mentionedIn(node);
    const symbol = mentioned === undefined ? undefined : checker.getSymbolAtLocation(mentioned);
    if (mentioned !== undefined && symbol !== undefined) {
      const target = origin(symbol, checker);
      const [place] = placesOf(target);
      const isOurs = place !== undefined && !isTypeParameter(target);
      // A value behind `typeof` needs no name, but what its type mentions does.
      if (isOurs && isTypeQueryNode(node)) visit(target);
      else if (isOurs && !known.has(target.id) && !names.has(nameOf(SAME_CLASS[place] ?? place, target))) {
        found.add(nameOf(place, target));
      }
    }
    node.forEachChild((child) => {
      look(child);
      return undefined;
    });
  };
  for (const symbol of exported) visit(symbol);
  return [...found].sort();
}

function nameOf(place: string, { name }: TypeSymbol): string {
  return `${place}: ${name}`;
}

/** The name by which a node mentions a declaration. */
function mentionedIn(node: Node): Node | undefined {
  if (isTypeReferenceNode(node)) return node.typeName;
  if (isExpressionWithTypeArguments(node)) return isIdentifier(node.expression) ? node.expression : undefined;
  if (isTypeQueryNode(node)) return node.exprName;
  return isImportTypeNode(node) ? node.qualifier : undefined;
}

/** What an import or a re-export stands for. */
function origin(symbol: TypeSymbol, checker: Checker): TypeSymbol {
  return (symbol.flags & SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol);
}

/** Our own files in which a symbol is declared. */
function placesOf({ declarations }: TypeSymbol): readonly string[] {
  const files = declarations.map(({ path }) => String(path));
  return files
    .filter((path) => path.startsWith(`${folder}/src/`))
    .map((path) => path.slice(folder.length + 1));
}

function isTypeParameter({ declarations }: TypeSymbol): boolean {
  return declarations.some((declaration) => {
    const node = declaration.resolve(project);
    return node !== undefined && isTypeParameterDeclaration(node);
  });
}

/** Whether a type is of strings, such as error codes: the groups it is made of need no names. */
function isOfStrings(node: Node, checker: Checker): boolean {
  if (!isTypeAliasDeclaration(node)) return false;
  const type = checker.getTypeFromTypeNode(node.type);
  return type !== undefined && checker.isTypeAssignableTo(type, checker.getStringType());
}
