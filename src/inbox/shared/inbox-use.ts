interface Opening {
  readonly open: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Keeps an inbox open for as long as anything uses it: the receiver once it is started, and each drain. */
export class InboxUse {
  readonly #opening: Opening;
  #users = 0;
  /** The latest opening or closing; never rejects. */
  #latest: Promise<void> = Promise.resolve();

  constructor(opening: Opening) {
    this.#opening = opening;
  }

  /**
   * Opens the inbox, unless it is open. Resolves to a function that ends this use of it, and closes the inbox if that was
   * the last one; it may be called again.
   *
   * @throws whatever opening throws; the inbox is closed then
   */
  async take(): Promise<() => Promise<void>> {
    await this.#inTurn(async () => {
      if (this.#users === 0) await this.#open();
      this.#users++;
    });
    let released: Promise<void> | undefined;
    return () => {
      released ??= this.#inTurn(async () => {
        this.#users--;
        if (this.#users === 0) await this.#opening.close();
      });
      return released;
    };
  }

  async #open(): Promise<void> {
    try {
      await this.#opening.open();
    } catch (thrown) {
      await this.#opening.close().catch(() => {});
      throw thrown;
    }
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#latest.then(work);
    this.#latest = done.catch(() => {});
    return done;
  }
}
