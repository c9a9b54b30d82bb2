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
 * Says that so many may listen to a signal, so that Node does not warn of a leak. It refuses the
 * signals of jsdom and happy-dom, of which it would not warn either.
 */
export function allowManyListeners(...signals: readonly AbortSignal[]): void {
  for (const signal of signals) {
    try {
      setMaxListeners(0, signal);
    } catch {}
  }
}
