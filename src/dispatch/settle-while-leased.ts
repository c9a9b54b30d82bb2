import type { Inbox, Settlement } from "../inbox/inbox.ts";

/** Milliseconds until a result that could not be stored is stored again, the first time and at most. */
const FIRST_WAIT = 50;
const LAST_WAIT = 1000;

/** What storing results takes. */
export interface Storing {
  readonly inbox: Pick<Inbox, "settle">;
  readonly clock: () => number;
  /** Whether an entry is still leased to this process. */
  readonly isLeased: (seq: number) => boolean;
  /** Aborted when results are not waited for any longer. */
  readonly signal: AbortSignal;
}

/**
 * Stores a result, again and again while the store fails, as long as the entry's lease is renewed: a process that has both
 * the result and the lease must not let the handlers run a second time. Returns whether it was stored; `false` if the
 * lease had ended.
 *
 * @throws whatever the store failed with, once the lease has ended or the receiver gives up
 */
export async function settleWhileLeased(settlement: Settlement, storing: Storing): Promise<boolean> {
  const { inbox, clock, isLeased, signal } = storing;
  for (let wait = FIRST_WAIT; ; wait = Math.min(2 * wait, LAST_WAIT)) {
    try {
      return await inbox.settle(settlement, clock());
    } catch (thrown) {
      if (signal.aborted || !isLeased(settlement.seq)) throw thrown;
      await delay(wait, signal);
    }
  }
}

/** Waits for a time, or until the signal is aborted. */
function delay(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end);
  });
}
