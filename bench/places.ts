import { join } from "node:path";

/** The folder of the measured package, set by `scripts/bench.js`. */
export const ROOT = process.env.HOOKPORTER_BENCH_ROOT ?? process.cwd();

/** The package as published. */
export const DIST = join(ROOT, "dist");

/** A program of the bench, as built by `scripts/bench.js`. */
export function program(name: "serve" | "fill" | "floor" | "generate" | "runner"): string {
  return join(import.meta.dirname, `${name}.js`);
}
