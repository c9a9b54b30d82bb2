import { setTimeout as wait } from "node:timers/promises";
import type { ObservedEvent, Observer } from "./observer.ts";

/** Milliseconds between two polls. */
const PAUSE = 200;

/** How long to observe; all times are milliseconds. */
export interface Patience {
  /** The longest wait for an event to run. */
  readonly timeout: number;
  /** How long to watch for a run too many. */
  readonly settle: number;
}

/** A clock in milliseconds, and a way to wait for it. */
export interface Timing {
  readonly now: () => number;
  readonly wait: (milliseconds: number) => Promise<unknown>;
}

const REAL: Timing = { now: () => performance.now(), wait };

/** Counts how often events ran. A receiver that ran nothing for the whole time-out is not waited for so long again. */
export class RunCounter {
  readonly #observer: Observer;
  readonly #patience: Patience;
  readonly #timing: Timing;
  #ranNothing = false;

  constructor(observer: Observer, patience: Patience, timing: Timing = REAL) {
    this.#observer = observer;
    this.#patience = patience;
    this.#timing = timing;
  }

  /**
   * Returns how often an event ran. Polls until it ran as often as it should, until the time-out at most. Then waits for
   * `settle` and polls once more, to catch a run too many.
   */
  async count(event: ObservedEvent, wanted: number): Promise<number> {
    const { timeout, settle } = this.#patience;
    const { now, wait } = this.#timing;
    const deadline = now() + (this.#ranNothing ? Math.min(timeout, settle) : timeout);
    for (;;) {
      const count = await this.#observer.count(event);
      if (count > 0) this.#ranNothing = false;
      if (count >= wanted) break;
      if (now() >= deadline) {
        if (count === 0) this.#ranNothing = true;
        break;
      }
      await wait(PAUSE);
    }
    await wait(settle);
    return this.#observer.count(event);
  }
}
