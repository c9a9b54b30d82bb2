import { join } from "node:path";
import { type Ended, run } from "./programs.ts";
import { DIST } from "./receiver-process.ts";

/** The built package's command. */
export const BIN = join(DIST, "hookporter.cjs");

/** Runs a command of the built package in a child process. */
export function cli(argv: readonly string[]): Promise<Ended> {
  return run(process.execPath, [BIN, ...argv]);
}
