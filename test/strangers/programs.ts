import { execFile, spawnSync } from "node:child_process";
import { promisify } from "node:util";
import type { TestContext } from "vitest";

/** Foreign programs that open an inbox file, and whether this machine has them. */
const PROGRAMS = {
  "the sqlite3 shell": works("sqlite3", ["--version"]),
  "Python's sqlite3": works("python3", ["-c", "import sqlite3"]),
};

/** Skips a test if this machine lacks a program it needs, and prints that. */
export function needs(context: TestContext, ...names: readonly (keyof typeof PROGRAMS)[]): void {
  for (const name of names) if (!PROGRAMS[name]) skip(context, name);
}

/** Skips a test, and prints the reason. */
export function skip(context: TestContext, what: string): never {
  process.stdout.write(`skipped: ${context.task.name}: needs ${what}\n`);
  return context.skip(`needs ${what}`);
}

/** A program's output and exit code; the code is `null` if it took too long. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Milliseconds that a program may take. */
const PATIENCE = 20_000;

/** Runs a program to its end; never rejects. */
export async function run(
  program: string,
  argv: readonly string[],
  patience = PATIENCE,
  surroundings: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<Ended> {
  const options = {
    ...surroundings,
    timeout: patience,
    killSignal: "SIGKILL",
    maxBuffer: 1024 ** 3,
  } as const;
  return promisify(execFile)(program, argv, options).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({
      code: typeof code === "number" ? code : null,
      stdout,
      stderr,
    }),
  );
}

/** Runs commands in the sqlite3 shell as a person at a terminal does, without waiting for locks. */
export function shell(database: string, ...commands: readonly string[]): Promise<Ended> {
  return run("sqlite3", ["-batch", database, ...commands]);
}

/** The output of a query in the sqlite3 shell, which waits for locks. */
export async function query(database: string, sql: string): Promise<string> {
  const ended = await run("sqlite3", ["-batch", "-cmd", ".timeout 5000", database, sql]);
  if (ended.code !== 0) throw new Error(`sqlite3 ended with ${ended.code}: ${ended.stderr}`);
  return ended.stdout.trim();
}

function works(program: string, argv: readonly string[]): boolean {
  return spawnSync(program, argv, { stdio: "ignore" }).status === 0;
}
