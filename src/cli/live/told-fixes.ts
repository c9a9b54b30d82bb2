/** The maximum number of causes that are remembered; they are codes of ours, so there are few. */
const REMEMBERED = 1000;

/** Remembers which fixes were printed: each is printed once per cause. */
export class ToldFixes {
  readonly #told = new Set<string>();

  /** Returns whether a cause's fix was printed before, and remembers it. */
  isTold(cause: string): boolean {
    if (this.#told.has(cause)) return true;
    if (this.#told.size < REMEMBERED) this.#told.add(cause);
    return false;
  }
}
