import type { Logger } from "../base/logger.ts";
import { describeError } from "../errors.ts";

/** Milliseconds before the same failure is logged again. */
const AGAIN = 60_000;

/** Logs failed claims: each kind of failure at first and then once a minute, rather than at every attempt. */
export class ClaimFailures {
  readonly #log: Logger;
  #latest = "";
  #reportedAt = 0;

  constructor(log: Logger) {
    this.#log = log;
  }

  report(thrown: unknown): void {
    const error = describeError(thrown);
    if (error === this.#latest && performance.now() - this.#reportedAt < AGAIN) return;
    this.#latest = error;
    this.#reportedAt = performance.now();
    this.#log.error({ error }, "due entries could not be claimed from the inbox; trying again");
  }

  /** Call it when a claim succeeds. */
  end(): void {
    this.#latest = "";
  }
}
