/** The maximum number of entries with remembered repeats, and of times per entry. */
const MAX_ENTRIES = 1000;
const MAX_TIMES = 20;

/** When the same event was received again recently. */
export class Repeats {
  readonly #times = new Map<number, number[]>();

  note(seq: number, at: number): void {
    const times = this.#times.get(seq) ?? [];
    this.#times.delete(seq); // re-inserted as the newest
    this.#times.set(seq, [at, ...times].slice(0, MAX_TIMES));
    const [oldest] = this.#times.keys();
    if (this.#times.size > MAX_ENTRIES && oldest !== undefined) this.#times.delete(oldest);
  }

  /** Newest first. */
  of(seq: number): readonly number[] {
    return this.#times.get(seq) ?? [];
  }
}
