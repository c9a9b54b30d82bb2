import { HookporterError } from "../errors.ts";

/** What a group commit needs of a store. */
export interface Transactions {
  begin(): void;
  commit(): void;
  rollback(): void;
}

/** One piece of work that must be inside a transaction, and where its result goes. */
interface Waiting {
  readonly work: () => unknown;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

/** More than this waiting means the store cannot keep up: refuse early rather than grow. */
const MAX_WAITING = 10_000;

/**
 * Shares one commit between all work that comes up in one turn of the event loop. A flush to disk is what durability
 * costs; sharing it makes it cheap, and no timer delays a lone delivery. Results are given out after the commit only.
 */
export class GroupCommit {
  readonly #transactions: Transactions;
  #waiting: Waiting[] = [];
  #scheduled: Promise<void> | undefined;

  constructor(transactions: Transactions) {
    this.#transactions = transactions;
  }

  /** Runs work in the next shared transaction; resolves after its commit. */
  run<Result>(work: () => Result): Promise<Result> {
    if (this.#waiting.length >= MAX_WAITING) {
      return Promise.reject(new HookporterError("inbox_busy", `${MAX_WAITING} writes are waiting already`));
    }
    const result = new Promise<Result>((resolve, reject) => this.#waiting.push({ work, resolve, reject }));
    this.#scheduled ??= new Promise((resolve) => setImmediate(() => resolve(this.#flush())));
    return result;
  }

  /** Resolves once nothing is waiting. */
  async idle(): Promise<void> {
    while (this.#scheduled !== undefined) await this.#scheduled;
  }

  #flush(): void {
    const batch = this.#waiting;
    this.#waiting = [];
    this.#scheduled = undefined;
    try {
      const results = this.#commit(batch);
      batch.forEach(({ resolve }, index) => {
        resolve(results[index] as never);
      });
    } catch (error) {
      // One piece of work must not take its neighbours down: each gets a transaction of its own, once.
      for (const single of batch) batch.length === 1 ? single.reject(error) : this.#commitAlone(single);
    }
  }

  #commitAlone(single: Waiting): void {
    try {
      const [result] = this.#commit([single]);
      single.resolve(result as never);
    } catch (error) {
      single.reject(error);
    }
  }

  #commit(batch: readonly Waiting[]): readonly unknown[] {
    this.#transactions.begin();
    try {
      const results = batch.map(({ work }) => work());
      this.#transactions.commit();
      return results;
    } catch (error) {
      this.#transactions.rollback();
      throw error;
    }
  }
}
