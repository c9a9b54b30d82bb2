import { retryDelay } from "../dispatch/retry.ts";
import { attempt, type ServiceAnswer, type ServiceRequest } from "./attempt.ts";
import type { Failure } from "./judge-answer.ts";
import type { ClientSettings } from "./options.ts";
import { ServiceError } from "./service-error.ts";

/** The final response, and the number of requests. */
export interface CallResult extends ServiceAnswer {
  readonly attempts: number;
  /** Whether an earlier attempt may have been carried out too. Always false for a GET. */
  readonly mayHaveHappenedBefore: boolean;
}

/**
 * Sends a request until it succeeds or must not be retried (service description, "Errors" 2: exponential back-off after
 * 429 or 500). Throws ServiceError; the signal's reason if it is aborted.
 */
export async function call(settings: ClientSettings, request: ServiceRequest): Promise<CallResult> {
  let mayHaveHappenedBefore = false;
  for (let attempts = 1; ; attempts++) {
    request.signal?.throwIfAborted();
    const tried = await attempt(settings, request);
    if ("answer" in tried) return { ...tried.answer, attempts, mayHaveHappenedBefore };
    mayHaveHappenedBefore ||= tried.failure.mayHaveHappened;
    const message = tried.failure.message + tooLong(tried.failure, settings);
    const details = { ...tried.failure, message, mayHaveHappened: mayHaveHappenedBefore };
    const error = new ServiceError(details, attempts);
    const delay = delayAfter(tried.failure, attempts, settings);
    if (delay === undefined) throw error;
    settings.onRetry({ error, delay });
    await settings.sleep(delay, request.signal);
  }
}

/**
 * Milliseconds to wait, or `undefined` to give up. The back-off is added to the service's `Retry-After`, so that clients do
 * not all return at the same moment. A `Retry-After` above `maxDelay` is not cut, since the retry would be refused again.
 */
function delayAfter({ again, retryAfter = 0 }: Failure, attempts: number, { retry, random }: ClientSettings) {
  if (!again || retryAfter > retry.maxDelay) return undefined;
  const backOff = retryDelay(attempts, retry, random());
  return backOff === undefined ? undefined : retryAfter + backOff;
}

/** The end of the message if the service asks to wait longer than this client does. */
function tooLong({ again, retryAfter = 0 }: Failure, { retry }: ClientSettings): string {
  if (!again || retryAfter <= retry.maxDelay) return "";
  const [asked, most] = [Math.ceil(retryAfter / 1000), retry.maxDelay / 1000];
  return `; the service asks to wait ${asked} s, and this client waits at most ${most} s (retry.maxDelay): try again after that time`;
}
