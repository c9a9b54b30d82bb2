/**
 * Milliseconds of work that entries may wait for here: beyond it, another process may be faster.
 */
const WORTH_WAITING_MS = 1000;
const MAX_WAITING = 200;
/** Milliseconds before an entry that found no place is due again: at least, and at most. */
const SOONEST_MS = 1000;
const LATEST_MS = 60_000;
/** Weight of the latest run in the moving average. */
const LATEST = 0.1;

export type TransactionPlaces = ReturnType<typeof transactionPlaces>;

/**
 * Limits the handlers with a transaction, and so a connection: the inbox needs some, or it could
 * not renew leases.
 */
export function transactionPlaces(limit = Number.POSITIVE_INFINITY) {
  const queue: ((entered: boolean) => void)[] = [];
  let taken = 0;
  let averageMs = Number.POSITIVE_INFINITY;
  let closed = false;
  /** When the last entry that was given back is due again. */
  let lastDue = 0;
  const take = (): boolean => {
    if (taken >= limit) return false;
    taken++;
    return true;
  };
  /** Whether the queue is full, so that another one should be given back. */
  const isCrowded = (): boolean => {
    const worth = Math.floor((limit * WORTH_WAITING_MS) / averageMs);
    return queue.length >= Math.min(MAX_WAITING, Math.max(limit, worth));
  };
  /**
   * When an entry that is given back should be due: one after the other, as fast as places become
   * free.
   */
  const dueAt = (now: number): number => {
    const each = Number.isFinite(averageMs) ? averageMs / limit : 0;
    lastDue = Math.min(Math.max(lastDue + each, now + SOONEST_MS), now + LATEST_MS);
    return Math.ceil(lastDue);
  };
  /**
   * Waits for a place; resolves to `false` if the places are closed first, or the signal is
   * aborted.
   */
  const wait = async (signal: AbortSignal): Promise<boolean> => {
    if (closed || signal.aborted) return false;
    if (take()) return true;
    let giveUp = () => {};
    const entered = await new Promise<boolean>((resolve) => {
      giveUp = () => {
        const index = queue.indexOf(resolve);
        if (index >= 0) queue.splice(index, 1); // otherwise it has just entered
        resolve(false);
      };
      queue.push(resolve);
      signal.addEventListener("abort", giveUp);
    });
    signal.removeEventListener("abort", giveUp);
    return entered;
  };
  /** Gives a place back that was held for a number of milliseconds. */
  const leave = (ms: number): void => {
    const known = Number.isFinite(averageMs) ? averageMs : ms;
    averageMs = Math.max(0.01, known + (ms - known) * LATEST);
    const next = queue.shift();
    if (next === undefined) taken--;
    else next(true);
  };
  /** Refuses all that wait, now and later. */
  const close = (): void => {
    closed = true;
    for (const refuse of queue.splice(0)) refuse(false);
  };
  return { take, isCrowded, dueAt, wait, leave, close };
}
