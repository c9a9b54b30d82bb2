import { join } from "node:path";

/** The folder of the package under measurement; `scripts/bench.js` says which. */
export const ROOT = process.env.HOOKPORTER_BENCH_ROOT ?? process.cwd();

/** The package as it is published. */
export const DIST = join(ROOT, "dist");

/** A program of the bench, as built by `scripts/bench.js`. */
export function program(name: "serve" | "fill" | "generate"): string {
  return join(import.meta.dirname, `${name}.js`);
}
