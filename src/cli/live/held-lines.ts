/** Milliseconds that an accepted delivery's line waits for the result of its handlers. */
export const PATIENCE = 300;

/**
 * Holds the lines of accepted deliveries back until their handlers have run, so that a delivery has
 * one line. If they take long, its line says that it was accepted, and another one how it ended.
 */
export class HeldLines {
  readonly #held = new Map<
    number,
    { readonly print: () => void; readonly timer: NodeJS.Timeout }
  >();

  /** Prints the line of an entry later, unless {@link drop} is called before. */
  hold(seq: number, print: () => void): void {
    const timer = setTimeout(() => this.release(seq), PATIENCE);
    this.#held.set(seq, { print, timer });
  }

  /** Forgets the line of an entry: another one says more. */
  drop(seq: number): void {
    clearTimeout(this.#held.get(seq)?.timer);
    this.#held.delete(seq);
  }

  /** Prints the line of an entry now, if it is held back. */
  release(seq: number): void {
    const held = this.#held.get(seq);
    this.drop(seq);
    held?.print();
  }

  releaseAll(): void {
    for (const seq of [...this.#held.keys()]) this.release(seq);
  }
}
