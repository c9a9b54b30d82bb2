import { spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";

const hasTaskset = spawnSync("taskset", ["--version"]).status === 0;

/**
 * Who runs where. The load generator has the last core for itself as far as it needs it; the server may use all, since a
 * receiver that works in two threads must be allowed to, and must pay for it where cores are few.
 */
export const CORES = {
  server: `0-${availableParallelism() - 1}`,
  load: String(availableParallelism() - 1),
  pinned: hasTaskset && availableParallelism() > 1,
};

/** A command line that runs on the given cores, where the machine has a way to say so. */
export function onCores(cores: string, command: readonly string[]): readonly [string, ...string[]] {
  const [program = "", ...rest] = command;
  return CORES.pinned ? ["taskset", "-c", cores, program, ...rest] : [program, ...rest];
}
