/**
 * Remembers what takes time to find out, so that finding it out takes a share of the time at most.
 */
export class ThrottledCache<Value> {
  readonly #share: number;
  readonly #least: number;
  #known: { readonly value: Promise<Value>; until: number } | undefined;

  /** @param least - milliseconds for which it is remembered at least */
  constructor(share: number, least = 0) {
    this.#share = share;
    this.#least = least;
  }

  /**
   * What was found out last, or what `find` does if that is too old. A failure is not remembered.
   */
  read(find: () => Promise<Value>): Promise<Value> {
    if (this.#known !== undefined && performance.now() < this.#known.until)
      return this.#known.value;
    const start = performance.now();
    const known = { value: find(), until: Number.POSITIVE_INFINITY };
    this.#known = known;
    const found = () => {
      const now = performance.now();
      known.until = now + Math.max(this.#least, (now - start) / this.#share);
    };
    known.value.then(found, () => {
      this.#known = undefined;
    });
    return known.value;
  }
}
