import { Chain } from "../../base/chain.ts";
import { MAX_TIMER } from "../../base/options/check-options.ts";

export interface Limited {
  readonly overdue: () => void;
  /** Called with the signal's reason when the outer signal is aborted. */
  readonly stop: (reason: unknown) => void;
}

/** Runs that begin within this many milliseconds share a timer. */
const TOGETHER_MS = 1;

/**
 * Milliseconds added to a timer: its last run began up to one after its first, and Node's timers
 * may be one early.
 */
export const LATE = TOGETHER_MS + 1;

/** Runs that began together, with one timer. */
interface Together {
  readonly runs: Chain<Limited>;
  readonly timeout: number;
  readonly since: number;
  readonly timer: NodeJS.Timeout;
  isOver: boolean;
}

const limitsOf = new WeakMap<AbortSignal, ReturnType<typeof timeLimits>>();

/**
 * Limits the time of a run, which also ends when a signal is aborted. Many runs share one timer and
 * one listener, since most end long before their time; none is stopped before it. Returns a
 * function to call when the run has ended.
 */
export function limitTime(run: Limited, timeout: number, signal: AbortSignal): () => void {
  const limit = limitsOf.get(signal) ?? timeLimits(signal);
  limitsOf.set(signal, limit);
  return limit(run, timeout);
}

function timeLimits(signal: AbortSignal) {
  const all = new Chain<Limited>();
  const stopAll = () => {
    for (const run of all.items()) run.stop(signal.reason);
  };
  let latest: Together | undefined;
  const togetherFor = (timeout: number): Together => {
    const now = performance.now();
    if (latest?.isOver === false && latest.timeout === timeout && now - latest.since < TOGETHER_MS)
      return latest;
    const runs = new Chain<Limited>();
    const overdue = () => {
      together.isOver = true;
      for (const run of runs.items()) run.overdue();
    };
    const timer = setTimeout(overdue, Math.min(timeout + LATE, MAX_TIMER));
    const together = { runs, timeout, since: now, timer, isOver: false };
    latest = together;
    return together;
  };
  return (run: Limited, timeout: number) => {
    if (all.isEmpty) signal.addEventListener("abort", stopAll);
    const link = all.add(run);
    const together = togetherFor(timeout);
    const shared = together.runs.add(run);
    return () => {
      if (together.runs.remove(shared) && together.runs.isEmpty) {
        together.isOver = true;
        clearTimeout(together.timer);
      }
      if (all.remove(link) && all.isEmpty) signal.removeEventListener("abort", stopAll);
    };
  };
}
