import { createHistogram } from "node:perf_hooks";
import type { LoadResult } from "./load.ts";

/**
 * Latencies to the microsecond. autocannon's own are whole milliseconds, and a fast machine answers
 * in less than one.
 */
export class Latencies {
  readonly #micros = createHistogram({ figures: 3 });

  /** @param ms - milliseconds from a request to its answer */
  note(ms: number): void {
    this.#micros.record(Math.max(1, Math.round(ms * 1000)));
  }

  get summary(): LoadResult["latency"] {
    const percentile = (of: number) => this.#micros.percentile(of) / 1000;
    return { p50: percentile(50), p99: percentile(99), max: this.#micros.max / 1000 };
  }
}
