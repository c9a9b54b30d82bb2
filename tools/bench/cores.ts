import { spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";

const hasTaskset = spawnSync("taskset", ["--version"]).status === 0;

/**
 * Assigns cores. The load generator is pinned to the last core; the server may use all, since a
 * receiver with two threads must be able to use them, and must bear the cost if there are few
 * cores.
 */
export const CORES = {
  server: `0-${availableParallelism() - 1}`,
  load: String(availableParallelism() - 1),
  pinned: hasTaskset && availableParallelism() > 1,
};

/** A command line that runs on the given cores, if the machine supports that. */
export function onCores(cores: string, command: readonly string[]): readonly [string, ...string[]] {
  const [program = "", ...rest] = command;
  return CORES.pinned ? ["taskset", "-c", cores, program, ...rest] : [program, ...rest];
}
