/** A run's own signal, which is made when somebody looks at it: signals are dear, and most handlers never look. */
export class OwnSignal {
  #aborter: AbortController | undefined;
  #aborted = false;
  #reason: unknown;

  /** Why it was aborted. */
  get reason(): unknown {
    return this.#reason;
  }

  /** The signal. */
  get signal(): AbortSignal {
    if (this.#aborter === undefined) {
      this.#aborter = new AbortController();
      if (this.#aborted) this.#aborter.abort(this.#reason);
    }
    return this.#aborter.signal;
  }

  /** Aborts the signal, or the one that will be made; the first reason counts. */
  abort(reason: unknown): void {
    if (this.#aborted) return;
    this.#aborted = true;
    this.#reason = reason;
    this.#aborter?.abort(reason);
  }
}
