/** Work that is under way, for those who have to wait until all of it has ended. */
export class PendingWork {
  readonly #all = new Set<Promise<unknown>>();

  /** Follows work until it ends, and returns its result. */
  async follow<Result>(work: Promise<Result>): Promise<Result> {
    this.#all.add(work);
    try {
      return await work;
    } finally {
      this.#all.delete(work);
    }
  }

  /** Resolves once all work that is under way now has ended, however it did. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#all);
  }
}
