import { retryDelay } from "../dispatch/retry.ts";
import { attempt, type ServiceAnswer, type ServiceRequest } from "./attempt.ts";
import type { Failure } from "./judge-answer.ts";
import type { ClientSettings } from "./options.ts";
import { ServiceError } from "./service-error.ts";

/** The answer in the end, after how many requests. */
export interface CallResult extends ServiceAnswer {
  readonly attempts: number;
  /** An attempt before the last one may have been carried out as well. Always false for a GET. */
  readonly mayHaveHappenedBefore: boolean;
}

/**
 * Sends a request until it succeeds or may not be sent again (service description, "Errors" 2: exponential back-off after
 * 429 or 500).
 *
 * @throws ServiceError; the signal's reason when it was aborted
 */
export async function call(settings: ClientSettings, request: ServiceRequest): Promise<CallResult> {
  let mayHaveHappenedBefore = false;
  for (let attempts = 1; ; attempts++) {
    request.signal?.throwIfAborted();
    const tried = await attempt(settings, request);
    if ("answer" in tried) return { ...tried.answer, attempts, mayHaveHappenedBefore };
    mayHaveHappenedBefore ||= tried.failure.mayHaveHappened;
    const error = new ServiceError({ ...tried.failure, mayHaveHappened: mayHaveHappenedBefore }, attempts);
    const delay = delayAfter(tried.failure, attempts, settings);
    if (delay === undefined) throw error;
    settings.onRetry({ error, delay });
    await settings.sleep(delay, request.signal);
  }
}

/**
 * Milliseconds to wait, `undefined` to give up. Never earlier than the service asked for, and not all clients at the
 * same moment after it. Where it asks for longer than `maxDelay`, waiting less would only be refused again.
 */
function delayAfter(
  { again, retryAfter = 0 }: Failure,
  attempts: number,
  { retry, random }: ClientSettings,
): number | undefined {
  if (!again || retryAfter > retry.maxDelay) return undefined;
  const backOff = retryDelay(attempts, retry, random());
  return backOff === undefined ? undefined : retryAfter + backOff;
}
