import { HookporterError } from "../errors.ts";
import { commitTogether, type Transactions, type WorkResult } from "./commit-together.ts";

/** One piece of work that must be inside a transaction, and where its result goes. */
interface Waiting<Order> {
  readonly work: () => unknown;
  readonly terms: WorkTerms<Order> | undefined;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

/** What a piece of work is beside the work itself. */
export interface WorkTerms<Order> {
  /** The same work, as it is told to somewhere else. */
  readonly order: Order;
  /** Bytes it holds while it waits. */
  readonly bytes: number;
  /** That no sender waits for it: it goes with others, and does not fill a batch of its own. Default not. */
  readonly canWait?: boolean;
}

/** Somewhere else to run whole batches: in the same order, each in one transaction. */
export interface Elsewhere<Order> {
  /** Takes a batch; gives its results, or `undefined` where it had better run here. */
  take(orders: readonly Order[]): Promise<readonly WorkResult[]> | undefined;
  /** Is told how many milliseconds a batch took here. */
  ranHere(ms: number): void;
  /** Is given the results of each batch, wherever it ran, before they are given out. */
  afterBatch?(results: readonly WorkResult[]): void;
}

/** More than this waiting means the store cannot keep up: refuse early rather than grow. */
const MAX_WAITING = 10_000;
const MAX_WAITING_BYTES = 64 * 1024 * 1024;

/** So much that is waited for is worth a batch of its own, beside one that is elsewhere already. */
const FULL_ENOUGH = 16;

/** Batches elsewhere: one that is worked on, and the next, so that nobody there stands idle while results come back. */
const MAX_AWAY = 2;

/**
 * Shares one commit between all work that comes up in one turn of the event loop. A flush to disk is what durability
 * costs; sharing it makes it cheap, and no timer delays a lone delivery. While batches are elsewhere, the next one
 * gathers. Results are given out after the commit only.
 */
export class GroupCommit<Order = never> {
  readonly #transactions: Transactions;
  readonly #elsewhere: Elsewhere<Order> | undefined;
  #waiting: Waiting<Order>[] = [];
  #waitingBytes = 0;
  /** How many of them somebody waits for. */
  #pressing = 0;
  /** Each until its batch is back. */
  readonly #away = new Set<Promise<void>>();
  #endOfTurn: Promise<void> | undefined;

  constructor(transactions: Transactions, elsewhere?: Elsewhere<Order>) {
    this.#transactions = transactions;
    this.#elsewhere = elsewhere;
  }

  /**
   * Runs work in the next shared transaction; resolves after its commit.
   *
   * @throws HookporterError `inbox_busy` where too much is waiting already
   */
  run<Result>(work: () => Result, terms?: WorkTerms<Order>): Promise<Result> {
    const bytes = terms?.bytes ?? 0;
    const waiting = this.#waiting.length;
    if (waiting >= MAX_WAITING || (waiting > 0 && this.#waitingBytes + bytes > MAX_WAITING_BYTES)) {
      return Promise.reject(
        new HookporterError(
          "inbox_busy",
          `expected room for another write, got ${waiting} that wait already: try again later`,
        ),
      );
    }
    this.#waitingBytes += bytes;
    return new Promise<Result>((resolve, reject) => {
      this.#waiting.push({ work, terms, resolve, reject });
      const pressing = terms?.canWait !== true;
      if (pressing && ++this.#pressing % FULL_ENOUGH === 0 && this.#trySendingAway()) return;
      if (this.#away.size === 0) this.#lookAtEndOfTurn();
    });
  }

  /** Resolves once nothing is waiting. */
  async idle(): Promise<void> {
    for (;;) {
      const [next = this.#endOfTurn] = this.#away;
      if (next === undefined) return;
      await next;
    }
  }

  #lookAtEndOfTurn(): void {
    this.#endOfTurn ??= new Promise((ended) => setImmediate(() => ended(this.#atEndOfTurn())));
  }

  #atEndOfTurn(): void {
    this.#endOfTurn = undefined; // work may bring up more work
    if (this.#away.size > 0 || this.#waiting.length === 0) return;
    if (!this.#trySendingAway()) this.#commitHere();
  }

  #trySendingAway(): boolean {
    if (this.#away.size >= MAX_AWAY) return false;
    const away = this.#sendAway();
    if (away === undefined) return false;
    const back: Promise<void> = this.#giveOutLater(away, () => this.#away.delete(back));
    this.#away.add(back);
    return true;
  }

  async #giveOutLater({ batch, results }: Away<Order>, isBack: () => void): Promise<void> {
    const known = await results;
    isBack();
    // The next one is sent before these results are given out, since all that then happens takes as long.
    const enough = this.#away.size === 0 ? this.#waiting.length > 0 : this.#pressing >= FULL_ENOUGH;
    if (enough && !this.#trySendingAway() && this.#away.size === 0) this.#lookAtEndOfTurn();
    this.#giveOut(batch, known);
  }

  /** Sends all that is waiting elsewhere, unless it had better run here. */
  #sendAway(): Away<Order> | undefined {
    if (this.#elsewhere === undefined || this.#waiting.length === 0) return undefined;
    const orders: Order[] = [];
    for (const { terms } of this.#waiting) {
      if (terms === undefined) return undefined;
      orders.push(terms.order);
    }
    const taken = this.#elsewhere.take(orders);
    if (taken === undefined) return undefined;
    const batch = this.#takeWaiting();
    return { batch, results: taken.catch((error) => batch.map(() => ({ error }))) };
  }

  #commitHere(): void {
    const batch = this.#takeWaiting();
    const start = performance.now();
    const works = batch.map(({ work }) => work);
    this.#giveOut(batch, commitTogether(this.#transactions, works));
    this.#elsewhere?.ranHere(performance.now() - start);
  }

  #giveOut(batch: readonly Waiting<Order>[], results: readonly WorkResult[]): void {
    this.#elsewhere?.afterBatch?.(results);
    giveOut(batch, results);
  }

  #takeWaiting(): readonly Waiting<Order>[] {
    const batch = this.#waiting;
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#pressing = 0;
    return batch;
  }
}

/** A batch that runs elsewhere. */
interface Away<Order> {
  readonly batch: readonly Waiting<Order>[];
  readonly results: Promise<readonly WorkResult[]>;
}

function giveOut(batch: readonly Waiting<unknown>[], results: readonly WorkResult[]): void {
  for (const [index, { resolve, reject }] of batch.entries()) {
    const result = results[index] ?? { error: new TypeError("a batch came back without all of its results") };
    if ("error" in result) reject(result.error);
    else resolve(result.value as never);
  }
}
