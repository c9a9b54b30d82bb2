import { setTimeout as wait } from "node:timers/promises";
import type { ObservedEvent, Observer } from "./observer.ts";

/** Milliseconds between two polls. */
const PAUSE = 200;

/**
 * Returns how often an event ran. Polls until it ran as often as it should, until the time-out at most. Then waits for
 * `settle` and polls once more, to catch a run too many.
 */
export async function countRuns(
  observer: Observer,
  event: ObservedEvent,
  { wanted, timeout, settle }: { wanted: number; timeout: number; settle: number },
): Promise<number> {
  const deadline = performance.now() + timeout;
  while ((await observer.count(event)) < wanted && performance.now() < deadline) await wait(PAUSE);
  await wait(settle);
  return observer.count(event);
}
