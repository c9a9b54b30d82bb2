import { join } from "node:path";

/** The folder of the measured package, set by `tools/bench.js`. */
export const ROOT = process.env.HOOKPORTER_BENCH_ROOT ?? process.cwd();

/** The package as published. */
export const DIST = join(ROOT, "dist");

/** The measured build of hookporter: this one, or the one that `--against` names. */
export type Build = "now" | "before";

/** A program of the bench, as built by `tools/bench.js`. */
export function program(
  name: "serve" | "fill" | "floor" | "generate" | "runner",
  build: Build = "now",
): string {
  return join(import.meta.dirname, ...(build === "now" ? [] : [build]), `${name}.js`);
}
