/** Renews leases at an interval, as long as anything that runs entries needs it. */
export class LeaseRenewal {
  readonly #intervalMs: number;
  readonly #renew: () => Promise<void>;
  #users = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param renew - must not reject */
  constructor(intervalMs: number, renew: () => Promise<void>) {
    this.#intervalMs = intervalMs;
    this.#renew = renew;
  }

  /** Begins, unless it has begun; returns a function that ends it. Call that once. */
  start(): () => void {
    this.#users++;
    this.#timer ??= setInterval(() => void this.#renew(), this.#intervalMs);
    return () => {
      this.#users--;
      if (this.#users > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }
}
