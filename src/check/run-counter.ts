import { setTimeout as wait } from "node:timers/promises";
import type { ObservedEvent, Observer } from "./observer.ts";

/** Milliseconds between two polls. */
const PAUSE = 200;

/** A clock in milliseconds, and a way to wait for it. */
export interface Timing {
  readonly now: () => number;
  readonly wait: (milliseconds: number) => Promise<unknown>;
}

const REAL: Timing = { now: () => performance.now(), wait };

/**
 * Returns how often an event ran. Polls until it ran as often as it should, until the time-out at
 * most. Then waits for `settle` and polls once more, to catch a run too many, unless told not to.
 */
export type CountRuns = (
  event: ObservedEvent,
  wanted: number,
  settles?: boolean,
) => Promise<number>;

/**
 * Counts how often events ran. After a receiver ran nothing for the whole time-out, later counts
 * wait only `settle`.
 */
export function runCounter(
  observer: Observer,
  { timeout, settle }: { readonly timeout: number; readonly settle: number },
  { now, wait }: Timing = REAL,
): CountRuns {
  let ranNothing = false;
  return async (event, wanted, settles = true) => {
    const deadline = now() + (ranNothing ? Math.min(timeout, settle) : timeout);
    for (;;) {
      const count = await observer.count(event);
      if (count > 0) ranNothing = false;
      if (count >= wanted && !settles) return count;
      if (count >= wanted) break;
      if (now() >= deadline) {
        if (count === 0) ranNothing = true;
        break;
      }
      await wait(PAUSE);
    }
    await wait(settle);
    return observer.count(event);
  };
}
