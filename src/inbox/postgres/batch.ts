import { setImmediate } from "node:timers";
import { tooMuchWaiting } from "../too-much-waiting.ts";

interface WaitingItem<Item, Result> {
  readonly item: Item;
  readonly bytes: number;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

export interface BatchTerms<Item, Result> {
  /** Runs a batch in one transaction; resolves to its results in order. */
  readonly run: (items: readonly Item[]) => Promise<readonly Result[]>;
  /** Whether one item of a batch caused its failure, so that the items are run one by one. */
  readonly isFaultOfOne: (thrown: unknown) => boolean;
  /** Whether no other batch would succeed now either. Default: never. */
  readonly isOutage?: (thrown: unknown) => boolean;
  /** Items of one batch must have different keys. Default: any items fit together. */
  readonly keyOf?: (item: Item) => unknown;
  /** Whether an item may run beside items that came before it. Default: none may. */
  readonly mayOvertake?: (item: Item) => boolean;
}

const MAX_ITEMS = 512;
/** If this many items wait, a second batch runs beside the one that is under way. */
const LARGE = 128;
const MAX_BYTES = 8 * 1024 * 1024;

/**
 * Runs work in batches: one is under way, and the next gathers meanwhile. A round trip and a commit
 * cost the same for one row and for hundreds, and no timer delays a lone one. If enough is waiting,
 * a second batch is prepared and sent while the server works on the first.
 */
export class Batches<Item, Result> {
  readonly #terms: BatchTerms<Item, Result>;
  #waiting: WaitingItem<Item, Result>[] = [];
  #bytes = 0;
  #running: Promise<void> | undefined;
  #second: Promise<void> | undefined;
  /** How many of those waiting may overtake others. */
  #free = 0;
  /** With what the last batch failed in an outage. */
  #outage: { readonly error: unknown } | undefined;

  constructor(terms: BatchTerms<Item, Result>) {
    this.#terms = terms;
  }

  /**
   * Runs an item in the next batch. Rejects with `inbox_busy` if too much waits; in an outage, as
   * the last batch did.
   */
  add(item: Item, bytes = 0): Promise<Result> {
    // One batch at a time finds out whether the outage is over; nothing else waits for it.
    if (this.#outage !== undefined && this.#running !== undefined)
      return Promise.reject(this.#outage.error);
    const refusal = tooMuchWaiting({ items: this.#waiting.length, bytes: this.#bytes }, bytes);
    if (refusal !== undefined) return Promise.reject(refusal);
    this.#bytes += bytes;
    if (this.#isFree(item)) this.#free++;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, bytes, resolve, reject });
      this.#running ??= this.#runAll();
      if (this.#free >= LARGE) this.#second ??= this.#runBeside();
    });
  }

  async idle(): Promise<void> {
    while (this.#running !== undefined || this.#second !== undefined)
      await Promise.all([this.#running, this.#second]);
  }

  async #runAll(): Promise<void> {
    // what arrives in the same turn shares the batch
    await new Promise((turn) => setImmediate(turn));
    while (this.#waiting.length > 0) await this.#runOne(this.#take(() => true));
    this.#running = undefined;
  }

  async #runBeside(): Promise<void> {
    await new Promise((turn) => setImmediate(turn));
    while (this.#free >= LARGE) await this.#runOne(this.#take((item) => this.#isFree(item)));
    this.#second = undefined;
  }

  #isFree(item: Item): boolean {
    return this.#terms.mayOvertake?.(item) === true;
  }

  #take(meets: (item: Item) => boolean): readonly WaitingItem<Item, Result>[] {
    const batch: WaitingItem<Item, Result>[] = [];
    const rest: WaitingItem<Item, Result>[] = [];
    const keys = new Set<unknown>();
    let bytes = 0;
    // Half of many, so that the rest can run beside them.
    const most = this.#free >= 2 * LARGE ? Math.ceil(this.#waiting.length / 2) : MAX_ITEMS;
    for (const waiting of this.#waiting) {
      const key = this.#terms.keyOf?.(waiting.item) ?? waiting;
      const isFull =
        batch.length >= Math.min(most, MAX_ITEMS) ||
        (batch.length > 0 && bytes + waiting.bytes > MAX_BYTES);
      if (isFull || keys.has(key) || !meets(waiting.item)) {
        rest.push(waiting);
        continue;
      }
      keys.add(key);
      batch.push(waiting);
      bytes += waiting.bytes;
      if (this.#isFree(waiting.item)) this.#free--;
    }
    this.#waiting = rest;
    this.#bytes -= bytes;
    return batch;
  }

  async #runOne(batch: readonly WaitingItem<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#terms.run(batch.map(({ item }) => item));
      this.#outage = undefined;
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
    } catch (thrown) {
      if (batch.length > 1 && this.#terms.isFaultOfOne(thrown)) {
        for (const waiting of batch) await this.#runOne([waiting]);
      } else {
        for (const { reject } of batch) reject(thrown);
        this.#outage = this.#terms.isOutage?.(thrown) === true ? { error: thrown } : undefined;
        if (this.#outage === undefined) return;
        for (const { reject } of this.#waiting) reject(thrown);
        this.#waiting = [];
        this.#bytes = this.#free = 0;
      }
    }
  }
}
