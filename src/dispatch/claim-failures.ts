import { describeError } from "../errors.ts";
import type { Logger } from "../logger.ts";

/** Milliseconds until the same failure is reported again. */
const AGAIN = 60_000;

/** Reports failures of claims: each kind when it begins and once a minute, rather than with every try. */
export class ClaimFailures {
  readonly #log: Logger;
  #latest = "";
  #reportedAt = 0;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** A claim failed. */
  report(thrown: unknown): void {
    const error = describeError(thrown);
    if (error === this.#latest && performance.now() - this.#reportedAt < AGAIN) return;
    this.#latest = error;
    this.#reportedAt = performance.now();
    this.#log.error({ error }, "the inbox could not be asked for due entries; it is asked again and again");
  }

  /** A claim went well. */
  end(): void {
    this.#latest = "";
  }
}
