import { type ApiError, rateLimited, serverError } from "./api-error.ts";

/** What a request can be made to fail with: those that clients should try again after (service description, "Errors"). */
export type FailureStatus = 429 | 500;

/** Milliseconds after which a client that was told 429 on purpose may come again. */
const PLANNED_WAIT = 1000;

/** Failures on demand: the next requests to the API get them, one each, in the order they were asked for. */
export class PlannedFailures {
  readonly #planned: FailureStatus[] = [];

  plan(count: number, status: FailureStatus): void {
    for (let left = count; left > 0; left--) this.#planned.push(status);
  }

  /** How many requests are still to fail. */
  get left(): number {
    return this.#planned.length;
  }

  /** The failure of this request, if it is to fail. */
  take(): ApiError | undefined {
    const status = this.#planned.shift();
    if (status === undefined) return undefined;
    return status === 429 ? rateLimited(PLANNED_WAIT) : serverError("a failure that was asked for");
  }
}
