import type { Durations } from "./overview-api.ts";

/** Upper bounds that grow by a quarter each, from 0.1 ms to over a minute. */
const BOUNDS: readonly number[] = Array.from({ length: 62 }, (_, step) =>
  Number((0.1 * 1.25 ** step).toPrecision(3)),
);

/** Counts durations in buckets, to estimate quantiles: its size does not depend on their number. */
export class Histogram {
  /** The last one holds durations above all bounds. */
  readonly #counts: number[] = Array.from({ length: BOUNDS.length + 1 }, () => 0);
  #longest = 0;

  add(duration: number): void {
    const at = BOUNDS.findIndex((bound) => duration <= bound);
    const index = at === -1 ? BOUNDS.length : at;
    this.#counts[index] = (this.#counts[index] ?? 0) + 1;
    this.#longest = Math.max(this.#longest, duration);
  }

  read(): Durations {
    const count = this.#counts.reduce((sum, one) => sum + one, 0);
    const quantile = (share: number) => this.#quantile(count * share);
    return { count, median: quantile(0.5), p95: quantile(0.95), longest: this.#longest };
  }

  /** The upper bound of the bucket with this many durations up to it; never above the longest one. */
  #quantile(wanted: number): number {
    let seen = 0;
    for (const [index, count] of this.#counts.entries()) {
      seen += count;
      if (seen >= wanted && count > 0) return Math.min(BOUNDS[index] ?? this.#longest, this.#longest);
    }
    return 0;
  }
}
