import { setMaxListeners } from "node:events";

/**
 * Lets the process end while a timer waits, and returns the timer. Those of jsdom, which Jest puts
 * in the place of Node's, are numbers and cannot keep it alive.
 */
export function unref(timer: NodeJS.Timeout): NodeJS.Timeout {
  timer.unref?.();
  return timer;
}

/**
 * Lets any number of listeners wait for a signal without Node's warning of a leak. Node refuses the
 * signals of jsdom and happy-dom here, but does not warn of them either.
 */
export function allowManyListeners(...signals: readonly AbortSignal[]): void {
  for (const signal of signals) {
    try {
      setMaxListeners(0, signal);
    } catch {}
  }
}
