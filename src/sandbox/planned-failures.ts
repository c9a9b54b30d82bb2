import { invalid, wholeNumber } from "../options/check-options.ts";
import { type ApiError, rateLimited, serverError } from "./api-error.ts";

/** The statuses a request can be made to fail with: those that clients should retry (service description, "Errors"). */
export type FailureStatus = 429 | 500;

/** Milliseconds in the `Retry-After` of a planned 429. */
const PLANNED_WAIT = 1000;

/** The maximum number of failures to plan at a time. */
export const MAX_FAILURES = 1000;

/**
 * Refuses failures that cannot be planned.
 *
 * @throws ConfigurationError `option_invalid`
 */
export function checkFailures(count: unknown, status: unknown): void {
  wholeNumber("requests", 1, MAX_FAILURES)(count, "count");
  if (status !== 429 && status !== 500) throw invalid("status to be 429 or 500", status, "pass one of them");
}

/** Planned failures: each of the next requests to the API gets one, in order. */
export class PlannedFailures {
  readonly #planned: FailureStatus[] = [];

  plan(count: number, status: FailureStatus): void {
    for (let left = count; left > 0; left--) this.#planned.push(status);
  }

  /** The number of requests still to fail. */
  get left(): number {
    return this.#planned.length;
  }

  /** The failure for this request, if it should fail. */
  take(): ApiError | undefined {
    const status = this.#planned.shift();
    if (status === undefined) return undefined;
    return status === 429 ? rateLimited(PLANNED_WAIT) : serverError("a planned failure");
  }
}
