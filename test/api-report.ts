import { readFileSync } from "node:fs";
import { SymbolFlags, type Symbol as TypeSymbol } from "typescript/unstable/sync";
import { type Declarations, ENTRIES } from "./declarations.ts";
import { mentionedTypes } from "./mentioned-types.ts";

/** What an entry point exports. A class counts as a value. */
export interface EntryExports {
  readonly entry: string;
  readonly values: readonly TypeSymbol[];
  readonly types: readonly TypeSymbol[];
}

/** Made from the flags of the commands, which have pages and tests of their own. */
const WITHOUT_SIGNATURE = ["CommandFlags", "SharedFlags"];

/** The exports of every entry point. */
export function entryExports({ exportsOf }: Declarations): readonly EntryExports[] {
  return ENTRIES.map(({ name: entry, file }) => {
    const all = [...exportsOf(file)].sort((a, b) => (a.name < b.name ? -1 : 1));
    const isValue = ({ flags }: TypeSymbol) => (flags & SymbolFlags.Value) !== 0;
    return { entry, values: all.filter(isValue), types: all.filter((symbol) => !isValue(symbol)) };
  });
}

/**
 * The report: counts and names of each entry point, then every signature once, without comments.
 */
export function apiReport(declarations: Declarations): string {
  const entries = entryExports(declarations);
  const width = Math.max(...entries.map(({ entry }) => entry.length));
  const counts = entries.map(
    ({ entry, values, types }) =>
      `${entry.padEnd(width)} ${String(values.length).padStart(3)} ${String(types.length).padStart(3)}`,
  );
  const names = entries.map(({ entry, values, types }) =>
    [`## ${entry}`, ...[...values, ...types].map(({ name }) => name)].join("\n"),
  );
  const symbols = new Map(
    entries
      .flatMap(({ values, types }) => [...values, ...types])
      .map((symbol) => [symbol.id, symbol]),
  );
  const exported = [...symbols.values()];
  const signaturesOf = (some: readonly TypeSymbol[]) =>
    [...new Set(some.map((symbol) => signature(symbol, declarations)))].sort().join("\n\n");
  return `${[
    "What the package exports. `npx vitest run test/api-report.test.ts -u` writes this file, and a test compares it.",
    `# Values and types of each entry point\n\n${counts.join("\n")}`,
    `# Names\n\n${names.join("\n\n")}`,
    `# Signatures\n\n${signaturesOf(exported)}`,
    `# Types that are mentioned, but not exported\n\n${signaturesOf(unnamed(exported, declarations))}`,
  ].join("\n\n")}\n`;
}

/**
 * The types that exports mention and that have no name of their own there, and those that these
 * mention in turn.
 */
function unnamed(
  exported: readonly TypeSymbol[],
  declarations: Declarations,
): readonly TypeSymbol[] {
  const found: TypeSymbol[] = [];
  for (;;) {
    const more = [...mentionedTypes([...exported, ...found], declarations).values()];
    if (more.length === 0) return found;
    found.push(...more);
  }
}

/** The declarations of a symbol, without comments. */
function signature(symbol: TypeSymbol, { project, folder }: Declarations): string {
  if (WITHOUT_SIGNATURE.includes(symbol.name)) return symbol.name;
  const texts = symbol.declarations.map((declaration) => {
    const path = String(declaration.path);
    const node = declaration.resolve(project);
    if (node === undefined)
      throw new Error(`${symbol.name} cannot be read in ${path.slice(folder.length)}`);
    return withoutComments(readFileSync(path, "utf8").slice(node.pos, node.end));
  });
  return texts.join("\n");
}

/**
 * Also shortens the texts of tables, such as the meaning of a code: the keys are what a program
 * relies on.
 */
function withoutComments(source: string): string {
  return source
    .replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "")
    .replaceAll(/^(\s*readonly \w+: )"[^"]* [^"]*"/gm, '$1"…"')
    .replaceAll(/\{\s+readonly (\w+): "…";\s+readonly (\w+): "…";\s+\}/g, '{ $1: "…"; $2: "…" }')
    .replaceAll(/^export (?:declare )?/gm, "")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .join("\n")
    .trim();
}
