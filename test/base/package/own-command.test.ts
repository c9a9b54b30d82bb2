import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createContext } from "../../../src/cli/context.ts";
import type { Io } from "../../../src/cli/io.ts";
import { createProgram } from "../../../src/cli/program.ts";
import { commandName, leaves } from "../../../src/cli/settings/command-tree.ts";
import { root } from "../../docs/markdown.ts";

const CALL = "ownCommand(";
const commands = leaves(createProgram(createContext({ env: {}, isTTY: {} } as Io))).map(
  commandName,
);
const names = commands.join("|");
const pairs = commands.filter((name) => name.includes(" ")).join("|");

/**
 * Where the program's name is written out: the help, whose examples have it without a runner; the
 * page, which does not know how it was started; headings of reports; what a user's shell runs; and
 * what is written for a project that is not installed yet.
 */
const WRITTEN_OUT = [
  "src/cli/commands/",
  "src/inspector/ui/",
  "src/check/report-",
  "src/cli/completion/scripts.ts",
  "src/cli/init/",
  "src/cli/types/schemas-file.ts",
];

const files = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
  .filter((file) => /\.tsx?$/.test(file))
  .map((file) => join("src", file).replaceAll("\\", "/"));

/** The lines of a source file, without its comments. */
function linesOf(file: string): readonly string[] {
  return readFileSync(join(root, file), "utf8")
    .replaceAll(/^ *\/\*[\s\S]*?\*\/$/gm, "")
    .replaceAll(/(?:^| )\/\/ .*$/gm, "")
    .split("\n");
}

/** Where what opened before a place ends. */
function endOf(line: string, from: number, open: string, close: string): number {
  let end = from;
  for (let depth = 1; depth > 0 && end < line.length; end += 1) {
    if (line[end] === open) depth += 1;
    if (line[end] === close) depth -= 1;
  }
  return end;
}

/** Each call of `ownCommand` in a template: what is before it, and what follows. */
function suggestionsIn(line: string): readonly { before: string; after: string }[] {
  return [...line.matchAll(/\$\{(?=ownCommand\()/g)].map(({ 0: opening, index }) => ({
    before: line.slice(0, index),
    after: line.slice(endOf(line, index + opening.length, "{", "}")),
  }));
}

/** A line without the calls of `ownCommand` that it has. */
function withoutSuggestions(line: string): string {
  const from = line.indexOf(CALL);
  if (from === -1) return line;
  const end = endOf(line, from + CALL.length, "(", ")");
  return withoutSuggestions(line.slice(0, from) + line.slice(end));
}

function linesWhere(isWrong: (line: string) => boolean, among = files): readonly string[] {
  return among.flatMap((file) =>
    linesOf(file).flatMap((line) => (isWrong(line) ? [`${file}: ${line.trim()}`] : [])),
  );
}

it("a sentence that names a command names it as its reader types it", () => {
  const others = files.filter((file) => !WRITTEN_OUT.some((place) => file.startsWith(place)));
  // The mark of a written file stays the same, however the program was started.
  const literal = new RegExp(`(?<!learned by )hookporter(?: (?:${names})\\b| --)`);
  // A text that is only a name is no sentence, and "2 events wait for it" names no command.
  const bare = new RegExp(`\\b(?:${pairs})\\b(?<!events wait)(?!["'\`])`);
  const withFlag = new RegExp(`\\b(?:${names}) --[a-z]`);
  const toRun = new RegExp(`\\brun (?:${names})\\b`);
  const isWrong = (line: string) =>
    literal.test(line) ||
    [bare, withFlag, toRun].some((pattern) => pattern.test(withoutSuggestions(line)));
  expect(linesWhere(isWrong, others)).toEqual([]);
});

it("a suggested command is quoted, unless the sentence ends with it", () => {
  const isWrong = (line: string) =>
    suggestionsIn(line).some(({ before, after }) => {
      const isQuoted = before.endsWith("\\`") && after.startsWith("\\`");
      return !isQuoted && !/^(?:`|\\n)/.test(after);
    });
  expect(linesWhere(isWrong)).toEqual([]);
});
