/** Entries whose repeats are remembered, and times for each: bounded, whatever comes. */
const MAX_ENTRIES = 1000;
const MAX_TIMES = 20;

/** When the same event came again, of late. */
export class Repeats {
  readonly #times = new Map<number, number[]>();

  note(seq: number, at: number): void {
    const times = this.#times.get(seq) ?? [];
    this.#times.delete(seq); // so that it stands last
    this.#times.set(seq, [at, ...times].slice(0, MAX_TIMES));
    const [oldest] = this.#times.keys();
    if (this.#times.size > MAX_ENTRIES && oldest !== undefined) this.#times.delete(oldest);
  }

  /** Newest first. */
  of(seq: number): readonly number[] {
    return this.#times.get(seq) ?? [];
  }
}
