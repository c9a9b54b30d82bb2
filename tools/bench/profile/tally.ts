/** Times summed up by key. */
export class Tally<What> {
  readonly #times = new Map<What, number>();
  sum = 0;

  add(what: What, time: number): void {
    this.#times.set(what, this.of(what) + time);
    this.sum += time;
  }

  of(what: What): number {
    return this.#times.get(what) ?? 0;
  }

  /** The largest, in descending order. */
  most(count: number): readonly (readonly [What, number])[] {
    return [...this.#times].sort(([, a], [, b]) => b - a).slice(0, count);
  }
}
