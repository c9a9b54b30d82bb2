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
    this.#commit(batch);
  }

  /** Runs a batch in one transaction, and gives out results or errors after its end. */
  #commit(batch: readonly Waiting[]): StoreFailure | undefined {
    const results: unknown[] = [];
    let working = false;
    try {
      this.#transactions.begin();
      working = true;
      for (const { work } of batch) results.push(work());
      working = false;
      this.#transactions.commit();
    } catch (error) {
      this.#rollback();
      if (working && batch.length > 1) return this.#commitEach(batch);
      for (const { reject } of batch) reject(error);
      return working ? undefined : { error };
    }
    batch.forEach(({ resolve }, index) => {
      resolve(results[index] as never);
    });
    return undefined;
  }

  /** One piece of work failed: each gets a transaction of its own, so that its neighbours do not go down with it. */
  #commitEach(batch: readonly Waiting[]): StoreFailure | undefined {
    let failure: StoreFailure | undefined;
    for (const single of batch) {
      // Once the store itself fails, each further try could wait for a lock with the whole process.
      if (failure === undefined) failure = this.#commit([single]);
      else single.reject(failure.error);
    }
    return failure;
  }

  #rollback(): void {
    try {
      this.#transactions.rollback();
    } catch {
      // The transaction is gone with the error that brought us here, which is the one to report.
    }
  }
}

/** The store could not begin or commit: it is not the work's fault. */
interface StoreFailure {
  readonly error: unknown;
}
