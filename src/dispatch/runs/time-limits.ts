import { Chain, type Link } from "../../base/chain.ts";
import { MAX_TIMER } from "../../options/check-options.ts";

export interface Limited {
  readonly overdue: () => void;
  /** Called with the signal's reason when the outer signal is aborted. */
  readonly stop: (reason: unknown) => void;
}

/** Runs that begin within this many milliseconds share a timer. */
const TOGETHER_MS = 1;

/** Milliseconds that a timer takes longer, for the last of its runs; and since Node's timers count whole milliseconds. */
export const LATE = TOGETHER_MS + 1;

const limitsOf = new WeakMap<AbortSignal, TimeLimits>();

/**
 * Limits the time of a run, which also ends when a signal is aborted. Many runs share one timer and one listener, since
 * most end long before their time; none is stopped before it. Returns a function to call when the run has ended.
 */
export function limitTime(run: Limited, timeout: number, signal: AbortSignal): () => void {
  let limits = limitsOf.get(signal);
  if (limits === undefined) {
    limits = new TimeLimits(signal);
    limitsOf.set(signal, limits);
  }
  return limits.add(run, timeout);
}

class TimeLimits {
  readonly #signal: AbortSignal;
  readonly #runs = new Chain<Limited>();
  readonly #stopAll = () => {
    for (const run of this.#runs.items()) run.stop(this.#signal.reason);
  };
  #latest: Together | undefined;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  add(run: Limited, timeout: number): () => void {
    if (this.#runs.isEmpty) this.#signal.addEventListener("abort", this.#stopAll);
    const link = this.#runs.add(run);
    const now = performance.now();
    if (this.#latest?.takes(timeout, now) !== true) this.#latest = new Together(timeout, now);
    const together = this.#latest;
    const shared = together.add(run);
    return () => {
      together.remove(shared);
      if (!this.#runs.remove(link) || !this.#runs.isEmpty) return;
      this.#signal.removeEventListener("abort", this.#stopAll);
    };
  }
}

/** Runs that began together, with one timer. */
class Together {
  readonly #runs = new Chain<Limited>();
  readonly #timeout: number;
  readonly #since: number;
  readonly #timer: NodeJS.Timeout;
  #isOver = false;

  constructor(timeout: number, since: number) {
    this.#timeout = timeout;
    this.#since = since;
    const end = () => {
      this.#isOver = true;
      for (const run of this.#runs.items()) run.overdue();
    };
    this.#timer = setTimeout(end, Math.min(timeout + LATE, MAX_TIMER));
  }

  takes(timeout: number, now: number): boolean {
    return !this.#isOver && timeout === this.#timeout && now - this.#since < TOGETHER_MS;
  }

  add(run: Limited): Link<Limited> {
    return this.#runs.add(run);
  }

  remove(link: Link<Limited>): void {
    if (!this.#runs.remove(link) || !this.#runs.isEmpty) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
  }
}
