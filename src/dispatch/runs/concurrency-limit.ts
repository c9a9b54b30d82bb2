/** Milliseconds of work to claim ahead. */
export const AHEAD_MS = 100;

/** Maximum entries to claim ahead. */
export const MAX_AHEAD = 200;

/** Weight of the latest run in the moving average. */
const LATEST = 0.1;

/**
 * Limits how many entries run at a time, queues the others, and decides how many are worth
 * queueing.
 */
export class ConcurrencyLimit {
  readonly #limit: number;
  readonly #queue: ((mayRun: boolean) => void)[] = [];
  #running = 0;
  #reserved = 0;
  #averageMs = Number.POSITIVE_INFINITY;
  #closed = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get running(): number {
    return this.#running;
  }

  get isFull(): boolean {
    // most often, so nothing else is computed
    if (this.#running + this.#reserved < this.#limit) return false;
    const { now, ahead } = this.room;
    return now + ahead <= 0;
  }

  /** How many more entries can run now, and how many more to queue. */
  get room(): { readonly now: number; readonly ahead: number } {
    const now = Math.max(0, this.#limit - this.#running);
    const ahead = Math.min(MAX_AHEAD, Math.floor((this.#limit * AHEAD_MS) / this.#averageMs));
    const beyond = Math.max(0, this.#reserved - now);
    return {
      now: Math.max(0, now - this.#reserved),
      ahead: Math.max(0, ahead - this.#queue.length - beyond),
    };
  }

  /** Reserves room for an entry that may follow; returns a function that frees it. */
  reserve(): () => void {
    this.#reserved++;
    return () => void this.#reserved--;
  }

  /**
   * Runs work when there is room; resolves to `undefined`, without running it, if the limit is
   * closed first.
   */
  run<Result>(work: () => Promise<Result> | Result): Promise<Result | undefined> {
    const entered = this.#enter();
    if (entered === true) return this.#occupy(work);
    if (entered === false) return Promise.resolve(undefined);
    return entered.then((mayRun) => (mayRun ? this.#occupy(work) : undefined));
  }

  /** Runs work at once, even beyond the limit; queued entries wait longer instead. */
  runAtOnce<Result>(work: () => Promise<Result> | Result): Promise<Result> {
    this.#running++;
    return this.#occupy(work);
  }

  /**
   * Frees the room of work that runs while it waits for something else. Then it goes on, even
   * beyond the limit.
   */
  async yieldPlace<Result>(waiting: Promise<Result>): Promise<Result> {
    this.#release();
    try {
      return await waiting;
    } finally {
      this.#running++;
    }
  }

  async #occupy<Result>(work: () => Promise<Result> | Result): Promise<Result> {
    const start = performance.now();
    try {
      return await work();
    } finally {
      const ms = performance.now() - start;
      const average = this.#averageMs;
      const next = Number.isFinite(average) ? average + (ms - average) * LATEST : ms;
      this.#averageMs = Math.max(0.01, next);
      this.#release();
    }
  }

  #release(): void {
    this.#running--;
    const next = this.#running < this.#limit ? this.#queue.shift() : undefined;
    if (next !== undefined) {
      this.#running++;
      next(true);
    }
  }

  /** Resolves once there is room to run an entry, or the limit is closed. */
  async untilRoom(): Promise<void> {
    if (await this.#enter()) this.#release();
  }

  /** Refuses all work that has not begun. */
  close(): void {
    this.#closed = true;
    for (const refuse of this.#queue.splice(0)) refuse(false);
  }

  #enter(): Promise<boolean> | boolean {
    if (this.#closed) return false;
    if (this.#running >= this.#limit) return new Promise((resolve) => this.#queue.push(resolve));
    this.#running++;
    return true;
  }
}
