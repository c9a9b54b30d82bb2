import { setTimeout as wait } from "node:timers/promises";

/** Milliseconds between two looks at how busy this process is. */
const LOOK = 10;

/**
 * When the requests of a run may be sent, how many there were, and how long this process was too
 * busy to read answers.
 */
export class Pace {
  requests = 0;
  #lag = 0;
  #looked = uptime();
  readonly #timer: NodeJS.Timeout;
  readonly #pause: number;
  #next = 0;

  /** `rate` is per second; without it, nothing waits. */
  constructor(rate = Number.POSITIVE_INFINITY) {
    this.#pause = 1000 / rate;
    this.#timer = setInterval(() => {
      const now = uptime();
      this.#lag += Math.max(0, now - this.#looked - 2 * LOOK);
      this.#looked = now;
    }, LOOK);
  }

  /** Waits for the turn of a request. */
  async turn(): Promise<void> {
    this.requests++;
    const now = performance.now();
    const at = Math.max(now, this.#next);
    this.#next = at + this.#pause;
    if (at > now) await wait(at - now);
  }

  /**
   * Milliseconds for which this process did nothing but compute, so far: no answer could be read
   * then.
   */
  get lag(): number {
    return this.#lag + Math.max(0, uptime() - this.#looked - 2 * LOOK);
  }

  end(): void {
    clearInterval(this.#timer);
  }
}

/** Milliseconds since this process began. */
function uptime(): number {
  return process.uptime() * 1000;
}
