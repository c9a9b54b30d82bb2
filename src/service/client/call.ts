import { retryDelay } from "../../base/options/retry.ts";
import { attempt, type ServiceAnswer, type ServiceRequest } from "./attempt.ts";
import type { ClientSettings } from "./client-options.ts";
import { ServiceError } from "./service-error.ts";

/** The final response, and the number of requests. */
export interface CallResult extends ServiceAnswer {
  readonly attempts: number;
  /** Whether an earlier attempt may have been carried out too. Always false for a GET. */
  readonly mayHaveHappenedBefore: boolean;
}

/**
 * Sends a request until it succeeds or must not be retried (service description, "Errors" 2:
 * exponential back-off after 429 or 500). Throws ServiceError; the signal's reason if it is
 * aborted.
 */
export async function call(settings: ClientSettings, request: ServiceRequest): Promise<CallResult> {
  const { retry, random } = settings;
  let mayHaveHappenedBefore = false;
  for (let attempts = 1; ; attempts++) {
    request.signal?.throwIfAborted();
    const tried = await attempt(settings, request);
    if ("answer" in tried) return { ...tried.answer, attempts, mayHaveHappenedBefore };
    const { failure } = tried;
    const { isRetryable, retryAfter = 0 } = failure;
    mayHaveHappenedBefore ||= failure.mayHaveHappened;
    // A `Retry-After` above `maxDelay` is not cut, since the retry would be refused again.
    const isTooLong = isRetryable && retryAfter > retry.maxDelay;
    const asked = Math.ceil(retryAfter / 1000);
    const most = retry.maxDelay / 1000;
    const wait = `; the service asks to wait ${asked} s, and this client waits at most ${most} s (retry.maxDelay): try again after that time`;
    const message = isTooLong ? failure.message + wait : failure.message;
    const details = { ...failure, message, mayHaveHappened: mayHaveHappenedBefore };
    const error = new ServiceError(details, attempts);
    const backOff = isRetryable && !isTooLong ? retryDelay(attempts, retry, random()) : undefined;
    if (backOff === undefined) throw error;
    // Both, so that clients do not all return at the same moment.
    const delay = retryAfter + backOff;
    settings.onRetry({ error, delay });
    await settings.sleep(delay, request.signal);
  }
}
