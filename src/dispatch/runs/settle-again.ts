import type { Inbox } from "../../inbox/inbox.ts";
import type { Settlement } from "../../inbox/settlement.ts";

/** Milliseconds between attempts to store a result: the first wait, and the longest. */
const FIRST_WAIT = 50;
const LAST_WAIT = 1000;

export interface Storing {
  readonly inbox: Pick<Inbox, "settle" | "damage">;
  readonly clock: () => number;
  readonly isLeased: (seq: number) => boolean;
  /** Aborted when a shutdown begins. From then on, nothing waits for a store that is damaged. */
  readonly stopping: AbortSignal;
  /** Aborted when a shutdown no longer waits for results to be stored. */
  readonly signal: AbortSignal;
}

/**
 * Stores a result that could not be stored, while the store fails and the entry's lease holds: a
 * process that has both the result and the lease must not let the handlers run a second time.
 * Returns `false`, with nothing stored, if the lease was lost.
 *
 * @param first - why it could not be stored
 * @throws the store's error, once the lease has ended or the signal is aborted
 */
export async function settleAgain(settlement: Settlement, storing: Storing, first: unknown) {
  const { inbox, clock, isLeased, stopping, signal } = storing;
  let failure = first;
  for (let wait = FIRST_WAIT; ; wait = Math.min(2 * wait, LAST_WAIT)) {
    const isVain = stopping.aborted && inbox.damage !== undefined;
    if (isVain || signal.aborted || !isLeased(settlement.seq)) throw failure;
    await delay(wait, signal);
    try {
      return await inbox.settle(settlement, clock());
    } catch (thrown) {
      failure = thrown;
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
