import { eraseExclusively } from "./erasing.ts";
import type { Inbox, InsideEnd, InsideResult, InsideTerms, Progress } from "./inbox.ts";
import type { Runner } from "./runner.ts";
import type { Settlement } from "./settlement.ts";
import { connectTo } from "./sqlite/client.ts";
import { createSchema } from "./sqlite/migrations.ts";
import {
  type OperationArguments,
  type OperationName,
  type OperationResult,
  recordRuns,
  runOperation,
} from "./sqlite/operations.ts";
import { SqlInbox } from "./sqlite/sql-inbox.ts";
import { Statements } from "./sqlite/statements.ts";
import type { HandlerTransaction } from "./transaction-types.ts";
import type { InboxSize } from "./vitals.ts";

/**
 * Runs a function in a transaction, which is committed once it resolves and rolled back if it
 * rejects.
 */
export type TestTransactions = (run: (tx: HandlerTransaction) => Promise<void>) => Promise<unknown>;

/**
 * An inbox in memory, for tests and for trying things out. It is gone when the process ends, so it
 * keeps none of the promises about crashes.
 */
export function memoryInbox(transactions?: TestTransactions): Inbox {
  return new MemoryInbox(transactions);
}

class MemoryInbox extends SqlInbox {
  #made: Statements | undefined;
  readonly #transactions: TestTransactions | undefined;
  override readonly insideLimit: number | undefined;
  readonly damage = undefined;

  constructor(transactions: TestTransactions | undefined) {
    super();
    this.#transactions = transactions;
    this.insideLimit = transactions === undefined ? undefined : Number.POSITIVE_INFINITY;
  }

  async open(): Promise<void> {
    await this.write("releaseAll");
  }

  /** What it holds stays: it can be opened again. */
  async close(): Promise<void> {}

  async register(runner: Runner, now: number): Promise<() => Promise<void>> {
    await this.makeDue(runner, now);
    return async () => {};
  }

  /** Other processes cannot have it. */
  async runners(): Promise<readonly Runner[]> {
    return [];
  }

  size(): Promise<InboxSize> {
    return this.read((statements) => ({
      bytes: Number(statements.pragma("page_count")) * Number(statements.pragma("page_size")),
    }));
  }

  override inside(
    work: (tx: unknown) => Promise<InsideEnd>,
    terms: InsideTerms,
  ): Promise<InsideResult> {
    const transactions = this.#transactions;
    return transactions === undefined
      ? super.inside(work, terms)
      : this.#inside(transactions, work, terms);
  }

  protected eraseAlone<Result>(work: () => Promise<Result>): Promise<Result> {
    return eraseExclusively(this, "memory:", work);
  }

  get #statements(): Statements {
    if (this.#made === undefined) {
      const database = connectTo(":memory:");
      createSchema(database, Date.now());
      this.#made = new Statements(database);
    }
    return this.#made;
  }

  protected async write<Name extends OperationName>(name: Name, ...args: OperationArguments<Name>) {
    const statements = this.#statements;
    return statements.transaction(
      () => runOperation(statements, { name, args }) as OperationResult<Name>,
    );
  }

  protected async read<Result>(work: (statements: Statements) => Result): Promise<Result> {
    return work(this.#statements);
  }

  /** Runs a handler in a transaction of a test, and stores its result once that is committed. */
  async #inside(
    transactions: TestTransactions,
    work: (tx: unknown) => Promise<InsideEnd>,
    { now }: InsideTerms,
  ): Promise<InsideResult> {
    let end: InsideEnd = "roll_back";
    let result: InsideResult = "committed";
    try {
      await transactions(async (tx) => {
        end = await work(tx);
        if (typeof end === "string") result = "rolled_back";
        else if (!this.#isLeased(end)) result = "refused";
        if (result !== "committed") throw new Error("rolled back");
      });
    } catch (thrown) {
      if (result === "committed") throw thrown;
      return result;
    }
    if (typeof end === "string") return "rolled_back";
    return (await this.#store(end, now())) ? "committed" : "refused";
  }

  #isLeased({ seq, lease }: Settlement | Progress): boolean {
    const sql = "SELECT 1 FROM entry WHERE seq = ? AND lease = ? AND state = 'running'";
    return this.#statements.get(sql, seq, lease) !== undefined;
  }

  async #store(result: Settlement | Progress, now: number): Promise<boolean> {
    if (result.state !== "running") return this.settle(result, now);
    if (!this.#isLeased(result)) return false;
    const statements = this.#statements;
    statements.transaction(() => {
      const finished = JSON.stringify(result.finishedHandlers);
      statements.run("UPDATE entry SET finished_handlers = ? WHERE seq = ?", finished, result.seq);
      recordRuns(statements, result);
    });
    return true;
  }
}
