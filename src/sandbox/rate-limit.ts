const MINUTE = 60_000;

/** The maximum number of remembered callers; above it, those whose minute is over are forgotten. */
const MAX_CALLERS = 1000;

/**
 * Counts requests per minute and caller. The service has a limit per minute, enforced with 429 (service description,
 * "Limits"); that a minute begins with a caller's first request is the sandbox's own rule.
 */
export class RateLimit {
  readonly #perMinute: number;
  readonly #clock: () => number;
  readonly #windows = new Map<string, { readonly ends: number; count: number }>();

  /** @param perMinute - requests; `Infinity` for no limit */
  constructor(perMinute: number, clock: () => number) {
    this.#perMinute = perMinute;
    this.#clock = clock;
  }

  /** Counts a request; returns the milliseconds to wait if it exceeds the limit. */
  take(caller: string): number | undefined {
    const now = this.#clock();
    let window = this.#windows.get(caller);
    if (window === undefined || now >= window.ends) {
      this.#forget(now);
      window = { ends: now + MINUTE, count: 0 };
      this.#windows.set(caller, window);
    }
    window.count++;
    return window.count > this.#perMinute ? window.ends - now : undefined;
  }

  #forget(now: number): void {
    if (this.#windows.size < MAX_CALLERS) return;
    for (const [caller, { ends }] of this.#windows) if (now >= ends) this.#windows.delete(caller);
  }
}
