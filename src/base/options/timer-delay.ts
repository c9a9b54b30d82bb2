import { MAX_TIMER } from "./check-options.ts";

/**
 * A delay that timers and signals accept: whole milliseconds from 0 to {@link MAX_TIMER}. A
 * difference of two readings of `performance.now()` is a fraction, which `AbortSignal.timeout`
 * refuses, and a timer with too long a delay fires at once.
 */
export function timerDelay(milliseconds: number): number {
  if (Number.isNaN(milliseconds)) return 0;
  return Math.min(MAX_TIMER, Math.max(0, Math.ceil(milliseconds)));
}
