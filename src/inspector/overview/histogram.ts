/** Counts durations in buckets, so that its size does not depend on their number. */
export class Histogram {
  readonly #bounds: readonly number[];
  readonly #counts: number[];
  #longest = 0;

  /** @param bounds - upper bounds in ascending order; a final bucket holds longer durations */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = Array.from({ length: bounds.length + 1 }, () => 0);
  }

  add(duration: number): void {
    const at = this.#bounds.findIndex((bound) => duration <= bound);
    const index = at === -1 ? this.#bounds.length : at;
    this.#counts[index] = (this.#counts[index] ?? 0) + 1;
    this.#longest = Math.max(this.#longest, duration);
  }

  get buckets(): readonly { readonly upTo: number | null; readonly count: number }[] {
    return this.#counts.map((count, index) => ({ upTo: this.#bounds[index] ?? null, count }));
  }

  get total(): number {
    return this.#counts.reduce((sum, count) => sum + count, 0);
  }

  get longest(): number {
    return this.#longest;
  }

  /** The upper bound of the bucket with the given quantile (0 to 1); never above the longest duration. */
  quantile(share: number): number {
    const wanted = this.total * share;
    let seen = 0;
    for (const [index, count] of this.#counts.entries()) {
      seen += count;
      if (seen >= wanted && count > 0) return Math.min(this.#bounds[index] ?? this.#longest, this.#longest);
    }
    return 0;
  }
}

/** Bounds that grow by a quarter each, from 0.1 ms to over a minute, to estimate quantiles. */
export const FINE_BOUNDS: readonly number[] = Array.from({ length: 62 }, (_, step) =>
  Number((0.1 * 1.25 ** step).toPrecision(3)),
);

/** Readable bounds, in milliseconds. */
export const READABLE_BOUNDS: readonly number[] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000];
