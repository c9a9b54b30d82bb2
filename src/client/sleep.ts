import { setTimeout as wait } from "node:timers/promises";

/** Waits, unless it is aborted: then it throws the signal's reason. */
export async function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  try {
    await wait(milliseconds, undefined, signal === undefined ? {} : { signal });
  } catch (thrown) {
    signal?.throwIfAborted();
    throw thrown;
  }
}
