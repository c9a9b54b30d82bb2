import { setTimeout as wait } from "node:timers/promises";
import { timerDelay } from "../../base/options/timer-delay.ts";

/** Waits; throws the signal's reason if it is aborted. */
export async function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  try {
    await wait(timerDelay(milliseconds), undefined, signal === undefined ? {} : { signal });
  } catch (thrown) {
    signal?.throwIfAborted();
    throw thrown;
  }
}
