import { spawnSync } from "node:child_process";
import { autocannon } from "./autocannon.ts";
import type { Load, LoadResult } from "./load.ts";
import { wrk } from "./wrk.ts";

const hasWrk = spawnSync("wrk", ["-v"]).error === undefined;

/** The load generator. */
export const GENERATOR = hasWrk ? "wrk" : "autocannon";

/** Sends a load over loopback; ends by itself. */
export function sendLoad(load: Load): Promise<LoadResult> {
  return hasWrk ? wrk(load) : autocannon(load);
}
