import { join } from "node:path";
import { type Ended, run } from "./programs.ts";
import { DIST } from "./receiver-process.ts";

/** The command of the built package. */
export const BIN = join(DIST, "hookporter.cjs");

/** Runs a command of the built package in a process of its own. */
export function cli(argv: readonly string[]): Promise<Ended> {
  return run(process.execPath, [BIN, ...argv]);
}
