/** Milliseconds of work that may be claimed ahead. */
const AHEAD_MS = 100;

/** Entries that may be claimed ahead at most. */
const MAX_AHEAD = 200;

/** Weight of the latest run in the average. */
const LATEST = 0.1;

/** Lets so many run at a time, the others wait in line; and says how many it is worth having in line. */
export class ConcurrencyLimit {
  readonly #limit: number;
  readonly #line: ((mayRun: boolean) => void)[] = [];
  #running = 0;
  #reserved = 0;
  #averageMs = Number.POSITIVE_INFINITY;
  #closed = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** How many run. */
  get running(): number {
    return this.#running;
  }

  /** Whether no more could run, or stand in line, than there are. */
  get isFull(): boolean {
    const { now, ahead } = this.room;
    return now + ahead <= 0;
  }

  /** How many more could run, or stand in line, before it is enough. */
  get room(): { readonly now: number; readonly ahead: number } {
    const now = Math.max(0, this.#limit - this.#running);
    const ahead = Math.min(MAX_AHEAD, Math.floor((this.#limit * AHEAD_MS) / this.#averageMs));
    const beyond = Math.max(0, this.#reserved - now);
    return {
      now: Math.max(0, now - this.#reserved),
      ahead: Math.max(0, ahead - this.#line.length - beyond),
    };
  }

  /** Keeps room for one that will come, or will not; gives what ends that. */
  reserve(): () => void {
    this.#reserved++;
    return () => void this.#reserved--;
  }

  /** Runs something in its turn; `undefined` where its turn will not come, since the slots were closed. */
  async run<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    if (!(await this.#enter())) return undefined;
    return this.#occupy(work);
  }

  /** Runs something without waiting for its turn; the others wait a little longer instead. */
  runAtOnce<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#running++;
    return this.#occupy(work);
  }

  async #occupy<Result>(work: () => Promise<Result>): Promise<Result> {
    const start = performance.now();
    try {
      return await work();
    } finally {
      this.#note(performance.now() - start);
      this.#running--;
      const next = this.#running < this.#limit ? this.#line.shift() : undefined;
      if (next !== undefined) {
        this.#running++;
        next(true);
      }
    }
  }

  /** Lets nothing begin any more that has not begun. */
  close(): void {
    this.#closed = true;
    for (const refuse of this.#line.splice(0)) refuse(false);
  }

  #enter(): Promise<boolean> | boolean {
    if (this.#closed) return false;
    if (this.#running >= this.#limit) return new Promise((resolve) => this.#line.push(resolve));
    this.#running++;
    return true;
  }

  #note(ms: number): void {
    const known = Number.isFinite(this.#averageMs);
    this.#averageMs = known
      ? Math.max(0.01, this.#averageMs + (ms - this.#averageMs) * LATEST)
      : Math.max(0.01, ms);
  }
}
