import { spawnSync } from "node:child_process";

/** Milliseconds added to each flush. */
export const ADDED_MS = 1;

/** A command that runs another one with slow flushes, or the reason why there is none. */
export type SlowFlush = { readonly command: readonly string[] } | { readonly missing: string };

/** SQLite flushes with one of these, depending on its build. */
const FLUSHES = "fdatasync,fsync";

/**
 * strace stops all threads only at flushes, so on a server that never flushes it has no measurable
 * cost.
 */
const STRACE = [
  "strace",
  "-f",
  "--seccomp-bpf",
  "-qq",
  "-o",
  "/dev/null",
  "-e",
  `trace=${FLUSHES}`,
  "-e",
  `inject=${FLUSHES}:delay_exit=${ADDED_MS * 1000}`,
];

/** Prints the milliseconds of a flush. */
const TRIAL = `
  const { fsyncSync, openSync } = require("node:fs");
  const folder = openSync(".", "r");
  const start = performance.now();
  fsyncSync(folder);
  process.stdout.write(String(performance.now() - start));
`;

/**
 * Checks whether flushes can be made slow: strace must be installed, be allowed to trace, and
 * actually delay.
 */
export function slowFlush(node: string): SlowFlush {
  const [program = "", ...flags] = STRACE;
  const trial = spawnSync(program, [...flags, node, "-e", TRIAL], {
    encoding: "utf8",
    timeout: 30_000,
  });
  if (trial.error !== undefined) return { missing: `strace cannot be run: ${trial.error.message}` };
  if (trial.status !== 0)
    return { missing: `strace may not trace: ${trial.stderr.trim().slice(0, 200)}` };
  const took = Number(trial.stdout);
  if (!(took >= ADDED_MS))
    return { missing: `strace does not delay flushes: one took ${took.toFixed(2)} ms` };
  return { command: STRACE };
}
