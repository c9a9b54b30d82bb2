import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { readLines } from "./lines.ts";

/** Milliseconds a program gets to end before it is killed. Less than a closing tunnel has. */
const GRACE = 500;

/** What is started, and who is told. */
export interface ProgramOptions {
  /** A name that `PATH` knows, or a path. */
  readonly program: string;
  /** Given as they are: there is no shell. */
  readonly argv: readonly string[];
  /** Working folder; this process's own when left out. */
  readonly cwd?: string;
  /** A line of standard output or standard error, without colours and control characters. */
  onLine(line: string, stream: "stdout" | "stderr"): void;
  /** It has ended and all its lines were told. Not told of one that `end` ended. */
  onEnd(end: ProgramEnd): void;
}

/** How a program ended. */
export interface ProgramEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** Why it could not be started. */
  readonly error?: Error;
}

/** A program that was started. */
export interface RunningProgram {
  /** Ends it: asks, then kills. Nothing is told any more. */
  end(): Promise<void>;
}

/**
 * Starts the client of a tunnel. It stays in the process group of the tunnel's child process, so that whatever it starts
 * and leaves behind ends with that one; see `tunnel-child.ts`.
 */
export function startProgram({ program, argv, cwd, onLine, onEnd }: ProgramOptions): RunningProgram {
  // An open input, which ends with this process: a program that reads it must not take the end for a wish to stop.
  const child = spawn(program, argv, {
    ...(cwd !== undefined && { cwd }),
    stdio: "pipe",
    windowsHide: true,
  });
  let told = true;
  let error: Error | undefined;
  child.on("error", (thrown) => {
    error ??= thrown;
  });
  for (const stream of ["stdout", "stderr"] as const) {
    readLines(child[stream], (line) => told && onLine(line, stream));
  }
  child.stdin.on("error", () => {}); // it may end before anything else does
  const closed = once(child, "close").catch(() => {});
  const ended = child.pid === undefined ? closed : new Promise((resolve) => child.once("exit", resolve));
  // What it left behind may hold its output open for ever.
  void ended
    .then(() => Promise.race([closed, setTimeout(GRACE, undefined, { ref: false })]))
    .then(() => {
      const { exitCode, signalCode: signal } = child;
      if (told) onEnd({ exitCode, signal, ...(error !== undefined && { error }) });
    });
  return {
    end: async () => {
      told = false;
      child.kill("SIGTERM");
      await Promise.race([ended, setTimeout(GRACE, undefined, { ref: false })]);
      child.kill("SIGKILL"); // nothing, where it has ended
      await ended;
    },
  };
}
