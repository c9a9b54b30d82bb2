import { setImmediate } from "node:timers/promises";
import { isPromiseLike } from "../../base/guards.ts";
import { tooMuchWaiting } from "../too-much-waiting.ts";
import type { WorkResult } from "./commit-together.ts";

/** Operations that must run inside a transaction, and the promises of their results. */
interface Batch<Operation> {
  readonly operations: Operation[];
  readonly promises: {
    readonly resolve: (value: never) => void;
    readonly reject: (error: unknown) => void;
  }[];
}

export interface OperationTerms {
  /** Bytes that it holds in memory while it waits. Default 0. */
  readonly bytes?: number;
  /** That no sender waits for it: it joins a batch, but does not fill one. Default `false`. */
  readonly canWait?: boolean;
}

/**
 * Commits whole batches, each in one transaction, in this thread or in another, which runs them in
 * the order it takes them.
 */
export interface Committer<Operation> {
  /**
   * Takes a batch into the other thread; returns `undefined` if the batch should run in this one.
   */
  take(operations: readonly Operation[]): Promise<readonly WorkResult[]> | undefined;
  /**
   * Commits a batch in this thread, or in the other after all, if it finds the file locked here.
   */
  commit(operations: readonly Operation[]): readonly WorkResult[] | Promise<readonly WorkResult[]>;
  /**
   * Called with the results of each batch, in whichever thread it ran, before their promises are
   * settled.
   */
  afterBatch?(results: readonly WorkResult[]): void;
}

/** Urgent operations that are worth a batch while another batch is still out. */
const FULL_ENOUGH = 32;

/**
 * One batch in progress and the next, so that the other thread is never idle while results come
 * back.
 */
const MAX_SENT = 2;

/**
 * Shares one commit between all operations that arrive in one turn of the event loop. Durability
 * costs a flush to disk; sharing the flush makes it cheap, and no timer delays a lone delivery.
 * While batches run in another thread, the next one gathers. A promise is settled only after its
 * commit.
 */
export class GroupCommit<Operation> {
  readonly #committer: Committer<Operation>;
  #waiting: Batch<Operation> = { operations: [], promises: [] };
  #waitingBytes = 0;
  /** How many of them a sender waits for. */
  #urgent = 0;
  /** One promise per batch in the other thread, oldest first. */
  #sent: readonly Promise<void>[] = [];
  #endOfTurn: Promise<void> | undefined;

  constructor(committer: Committer<Operation>) {
    this.#committer = committer;
  }

  /**
   * Runs an operation in the next shared transaction, and resolves after it; rejects with
   * `inbox_busy` if too much waits.
   */
  run<Result>(
    operation: Operation,
    { bytes = 0, canWait = false }: OperationTerms = {},
  ): Promise<Result> {
    const { operations, promises } = this.#waiting;
    const refusal = tooMuchWaiting({ items: operations.length, bytes: this.#waitingBytes }, bytes);
    if (refusal !== undefined) return Promise.reject(refusal);
    this.#waitingBytes += bytes;
    operations.push(operation);
    return new Promise<Result>((resolve, reject) => {
      promises.push({ resolve, reject });
      if (!canWait && ++this.#urgent % FULL_ENOUGH === 0 && this.#trySending()) return;
      if (this.#sent.length === 0) this.#commitAtEndOfTurn();
    });
  }

  async idle(): Promise<void> {
    for (;;) {
      const [next = this.#endOfTurn] = this.#sent;
      if (next === undefined) return;
      await next;
    }
  }

  #commitAtEndOfTurn(): void {
    this.#endOfTurn ??= setImmediate().then(() => this.#atEndOfTurn());
  }

  #atEndOfTurn(): void {
    this.#endOfTurn = undefined; // work may add more work
    if (this.#sent.length > 0 || this.#waiting.operations.length === 0) return;
    if (this.#trySending()) return;
    const batch = this.#takeWaiting();
    const results = this.#committer.commit(batch.operations);
    if (isPromiseLike(results)) this.#send(batch, results);
    else this.#settle(batch, results);
  }

  /** Sends all that is waiting to the other thread, unless it should run here. */
  #trySending(): boolean {
    const { operations } = this.#waiting;
    if (operations.length === 0 || this.#sent.length >= MAX_SENT) return false;
    const taken = this.#committer.take(operations);
    if (taken === undefined) return false;
    this.#send(this.#takeWaiting(), taken);
    return true;
  }

  #send(batch: Batch<Operation>, taken: Promise<readonly WorkResult[]>): void {
    const results = taken.catch((error) => batch.operations.map(() => ({ error })));
    const settled: Promise<void> = this.#settleLater(batch, results, () => {
      this.#sent = this.#sent.filter((sent) => sent !== settled);
    });
    this.#sent = [...this.#sent, settled];
  }

  async #settleLater(
    batch: Batch<Operation>,
    results: Promise<readonly WorkResult[]>,
    isBack: () => void,
  ) {
    const known = await results;
    isBack();
    // The next batch is sent before these promises are settled, since what follows from them takes
    // as long.
    const enough =
      this.#sent.length === 0 ? this.#waiting.operations.length > 0 : this.#urgent >= FULL_ENOUGH;
    if (enough && !this.#trySending() && this.#sent.length === 0) this.#commitAtEndOfTurn();
    this.#settle(batch, known);
  }

  #settle({ promises }: Batch<Operation>, results: readonly WorkResult[]): void {
    this.#committer.afterBatch?.(results);
    for (const [index, { resolve, reject }] of promises.entries()) {
      const result = results[index] ?? {
        error: new TypeError("a batch came back without all of its results"),
      };
      if ("error" in result) reject(result.error);
      else resolve(result.value as never);
    }
  }

  #takeWaiting(): Batch<Operation> {
    const batch = this.#waiting;
    this.#waiting = { operations: [], promises: [] };
    this.#waitingBytes = 0;
    this.#urgent = 0;
    return batch;
  }
}
