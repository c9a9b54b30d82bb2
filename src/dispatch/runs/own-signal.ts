/**
 * The abort signal of one run, made on first use: signals are expensive to create, and most handlers never use theirs.
 */
export class OwnSignal {
  #aborter: AbortController | undefined;
  #aborted = false;
  #reason: unknown;

  /** The reason for which it was aborted. */
  get reason(): unknown {
    return this.#reason;
  }

  get signal(): AbortSignal {
    if (this.#aborter === undefined) {
      this.#aborter = new AbortController();
      if (this.#aborted) this.#aborter.abort(this.#reason);
    }
    return this.#aborter.signal;
  }

  /** Aborts the signal, made or not; the first reason counts. */
  abort(reason: unknown): void {
    if (this.#aborted) return;
    this.#aborted = true;
    this.#reason = reason;
    this.#aborter?.abort(reason);
  }
}
