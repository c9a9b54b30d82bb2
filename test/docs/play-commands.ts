import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect } from "vitest";
import { runCli, tempFolder } from "../cli/fake-io.ts";

/** Those of commands that find something wrong. */
const EXIT_CODES: Readonly<Record<string, readonly number[]>> = { doctor: [0, 1], verify: [4] };

/** A line without what differs from run to run. */
const shape = (line: string) =>
  line
    .replace(/^\S*[/…]\S*(?=: )/, "…")
    .replace(/ at \S+:\d+:\d+$/, " at place")
    .replaceAll(/(?:\d+ [A-Z][a-z]+ )?\d\d:\d\d(?!:)/g, "time")
    .replaceAll(/evt_\w+/g, "evt")
    .replaceAll(/fingerprint \w+/g, "fingerprint")
    .replaceAll(/\d[\d.]*(?: (?:ms|s|min|bytes|KiB|MiB)\b)?/g, "#")
    .replaceAll(/\s+/g, " ")
    .trim();

/** What a reader has beside the page. */
interface Reader {
  readonly env: Readonly<Record<string, string>>;
  /** What the page calls something, and what it is here. */
  readonly names?: Readonly<Record<string, string>>;
  /** What the log has. */
  readonly log?: readonly string[];
  /** What the reader does before a command, or waits for. */
  readonly before?: Readonly<Record<string, () => unknown>>;
  readonly cwd?: string;
  /** What is run of the lines. Default: all. */
  readonly runs?: RegExp;
}

/**
 * Runs the commands of a part of a page one after the other, and compares what they print with the
 * block below; returns how many ran.
 */
export async function playCommands(
  part: string,
  { cwd = tempFolder(), env, names = {}, log = [], before = {}, runs = /./ }: Reader,
) {
  const text = part.replaceAll(/^ {2,3}(?=\S)/gm, "");
  const blocks = [...text.matchAll(/^```(sh|text)\n([\s\S]*?)^```$/gm)];
  const swap = (text: string, from: number) =>
    Object.entries(names).reduce(
      (all, pair) => all.replaceAll(pair[from] ?? "", pair[1 - from] ?? ""),
      text,
    );
  const used = new Set<string>();
  let printed = log.map(shape);
  let ran = 0;
  for (const [, language, code = ""] of blocks) {
    const lines = code.trimEnd().split("\n");
    if (language === "text") {
      expect(
        lines.filter((line) => !printed.includes(shape(line))),
        printed.join("\n"),
      ).toEqual([]);
      continue;
    }
    const commands = lines.filter((line) => runs.test(line));
    if (commands.length > 0) printed = [];
    for (const line of commands) {
      await before[line]?.();
      used.add(line);
      const given = swap(line, 0);
      const argv = [...given.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map((word) =>
        word.slice(1).join(""),
      );
      const { code, stdout, stderr } = given.startsWith("npx hookporter ")
        ? await runCli(argv.slice(2), { cwd, env })
        : await shell(given);
      expect(EXIT_CODES[argv[2] ?? ""] ?? [0], `${line}\n${stderr}`).toContain(code);
      printed.push(...swap(`${stdout}\n${stderr}`, 1).split("\n").map(shape));
      ran++;
    }
  }
  expect(Object.keys(before).filter((line) => !used.has(line))).toEqual([]);
  return ran;
}

/** Not at once: what it asks may be in this process. */
async function shell(line: string) {
  const child = promisify(execFile)("sh", ["-c", line]);
  const { stdout, stderr, code = 0 } = await child.catch((error) => error);
  return { code, stdout, stderr };
}
