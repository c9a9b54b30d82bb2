/** Milliseconds of work that entries may wait for here: beyond it, another process may be faster. */
const WORTH_WAITING_MS = 1000;
const MAX_WAITING = 200;
/** Milliseconds before an entry that found no place is due again: at least, and at most. */
const SOONEST_MS = 1000;
const LATEST_MS = 60_000;
/** Weight of the latest run in the moving average. */
const LATEST = 0.1;

/** Limits the handlers with a transaction, and so a connection: the inbox needs some, or it could not renew leases. */
export class TransactionPlaces {
  readonly #limit: number;
  readonly #queue: ((entered: boolean) => void)[] = [];
  #taken = 0;
  #averageMs = Number.POSITIVE_INFINITY;
  #closed = false;
  /** When the last entry that was given back is due again. */
  #lastDue = 0;

  constructor(limit = Number.POSITIVE_INFINITY) {
    this.#limit = limit;
  }

  take(): boolean {
    if (this.#taken >= this.#limit) return false;
    this.#taken++;
    return true;
  }

  /** Whether the queue is full, so that another one should be given back. */
  get isCrowded(): boolean {
    const worth = Math.floor((this.#limit * WORTH_WAITING_MS) / this.#averageMs);
    return this.#queue.length >= Math.min(MAX_WAITING, Math.max(this.#limit, worth));
  }

  /** When an entry that is given back should be due: one after the other, as fast as places become free. */
  dueAt(now: number): number {
    const each = Number.isFinite(this.#averageMs) ? this.#averageMs / this.#limit : 0;
    this.#lastDue = Math.min(Math.max(this.#lastDue + each, now + SOONEST_MS), now + LATEST_MS);
    return Math.ceil(this.#lastDue);
  }

  /** Waits for a place; resolves to `false` if the places are closed first, or the signal is aborted. */
  async wait(signal: AbortSignal): Promise<boolean> {
    if (this.#closed || signal.aborted) return false;
    if (this.take()) return true;
    let giveUp = () => {};
    const entered = await new Promise<boolean>((resolve) => {
      giveUp = () => {
        const index = this.#queue.indexOf(resolve);
        if (index >= 0) this.#queue.splice(index, 1); // otherwise it has just entered
        resolve(false);
      };
      this.#queue.push(resolve);
      signal.addEventListener("abort", giveUp);
    });
    signal.removeEventListener("abort", giveUp);
    return entered;
  }

  /** Gives a place back that was held for a number of milliseconds. */
  leave(ms: number): void {
    const known = Number.isFinite(this.#averageMs) ? this.#averageMs : ms;
    this.#averageMs = Math.max(0.01, known + (ms - known) * LATEST);
    const next = this.#queue.shift();
    if (next === undefined) this.#taken--;
    else next(true);
  }

  /** Refuses all that wait, now and later. */
  close(): void {
    this.#closed = true;
    for (const refuse of this.#queue.splice(0)) refuse(false);
  }
}
