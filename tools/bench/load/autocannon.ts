import { CORES, onCores } from "../cores.ts";
import { program } from "../places.ts";
import type { Load, LoadResult } from "./load.ts";
import { runCommand } from "./run-command.ts";

/** Sends a load with autocannon, in a child process. */
export async function autocannon(load: Load): Promise<LoadResult> {
  const command = [process.execPath, program("generate"), JSON.stringify(load)];
  return JSON.parse(
    await runCommand(onCores(CORES.load, command), { timeout: (load.seconds + 60) * 1000 }),
  );
}
