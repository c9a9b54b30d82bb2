import { setTimeout as wait } from "node:timers/promises";
import type { ObservedEvent, Observer } from "./observer.ts";

/** Milliseconds between two looks. */
const PAUSE = 200;

/**
 * How often an event ran: looks until it ran as often as it should, at most for the time-out, then waits for `settle`
 * and looks once more, since one run too many comes late.
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
