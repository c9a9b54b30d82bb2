/** What stands for all values beyond the limit. */
export const OTHER = "other";

/** The longest value of a label, in characters. */
const LONGEST = 120;

/** Keeps the values of a label few, since Prometheus keeps a time series for each for ever. */
export class BoundedLabel {
  readonly #most: number;
  readonly #known = new Set<string>();

  /** @param most - how many values are told apart */
  constructor(most: number) {
    this.#most = most;
  }

  /** The value, or `other` if there are too many. */
  of(value: string): string {
    const short = value.slice(0, LONGEST);
    if (!this.#known.has(short) && this.#known.size >= this.#most) return OTHER;
    this.#known.add(short);
    return short;
  }
}
