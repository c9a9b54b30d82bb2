import { Readable, Writable } from "node:stream";
import type { CliContext } from "../context.ts";
import type { Io } from "../io.ts";

/** A command line in its parts. What an operand contains is never taken for a flag. */
export interface CommandLine {
  readonly command: readonly string[];
  readonly flags?: readonly string[] | undefined;
  readonly operands?: readonly string[] | undefined;
  readonly stdin?: string | undefined;
}

/** Fields of records that say nothing to who called the command. */
const KNOWN_ANYWAY: ReadonlySet<string> = new Set(["schemaVersion", "time"]);

/**
 * Runs a command in this process as a script would: without a terminal, with its output as records,
 * and as the agent's.
 */
export async function runCommand(
  { command, flags = [], operands = [], stdin = "" }: CommandLine,
  { io, run }: CliContext,
  agent: NonNullable<Io["agent"]>,
) {
  const printed: Buffer[] = [];
  const said: Buffer[] = [];
  const own: Io = {
    ...io,
    agent,
    stdin: Readable.from(stdin === "" ? [] : [Buffer.from(stdin)]),
    stdout: intoList(printed),
    stderr: intoList(said),
    isTTY: { stdin: false, stdout: false, stderr: false },
    exit: () => {},
    onKeys: () => () => {},
  };
  const exitCode = await run([...command, "--json", ...flags, "--", ...operands], own);
  const messages = linesOf(said).map((message) => ({ message }));
  return { exitCode, records: linesOf(printed).map(toRecord), messages };
}

function linesOf(chunks: readonly Buffer[]): readonly string[] {
  return Buffer.concat(chunks).toString("utf8").split("\n").filter(Boolean);
}

function intoList(chunks: Buffer[]): Writable {
  return new Writable({
    write: (chunk: Buffer, _, done) => {
      chunks.push(chunk);
      done();
    },
  });
}

function toRecord(line: string): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(JSON.parse(line)).filter(([name]) => !KNOWN_ANYWAY.has(name)),
  );
}
