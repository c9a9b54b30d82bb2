import { aNumber, type Check, checkOptions } from "./check-options.ts";
import { givenOptions } from "./given-options.ts";

/** When a failed entry runs again. */
export interface RetryPolicy {
  /**
   * Maximum attempts, the first included; then the entry is a dead letter. Default 10. `Infinity`
   * never gives up.
   */
  readonly attempts: number;
  /** Milliseconds before the second attempt. Default 1000. */
  readonly delay: number;
  /** Factor by which each further delay grows. Default 2. */
  readonly factor: number;
  /** Maximum delay in milliseconds. Default 600 000 (10 minutes). */
  readonly maxDelay: number;
  /**
   * Random share of each delay, 0 to 1, so that entries that failed together do not retry together.
   * Default 0.5.
   */
  readonly jitter: number;
}

/**
 * Ten attempts over 4 to 9 minutes, depending on jitter; the longest delay is 256 seconds, below
 * `maxDelay`.
 */
export const DEFAULT_RETRY: RetryPolicy = {
  attempts: 10,
  delay: 1000,
  factor: 2,
  maxDelay: 600_000,
  jitter: 0.5,
};

/** Maximum milliseconds that a handler may ask to wait, if `maxDelay` is less. */
export const MAX_ASKED = 600_000;

export function longestDelay({ maxDelay }: RetryPolicy): number {
  return Math.max(maxDelay, MAX_ASKED);
}

/**
 * Milliseconds to wait after a failed attempt (counted from 1); `undefined` if it was the last.
 * Exponential with jitter and at most `maxDelay`, unless the handler's error asked for a wait.
 * Never negative.
 */
export function retryDelay(attempt: number, policy: RetryPolicy, random: number, asked?: number) {
  if (attempt >= policy.attempts) return undefined;
  if (asked !== undefined) return Math.round(Math.min(longestDelay(policy), Math.max(0, asked)));
  if (policy.delay === 0) return 0; // 0 × an infinite factor is not a number
  const full = Math.min(policy.maxDelay, policy.delay * policy.factor ** (attempt - 1));
  return Math.round(full * (1 - policy.jitter * random));
}

/** Options for a policy: those that are left out, or `undefined`, keep their default. */
export type RetryOptions = { readonly [Name in keyof RetryPolicy]?: RetryPolicy[Name] | undefined };

export const anAttemptCount = aNumber("a whole number from 1, or Infinity", (value) => {
  return value === Number.POSITIVE_INFINITY || (Number.isInteger(value) && value >= 1);
});

const CHECKS: Readonly<Record<keyof RetryPolicy, Check>> = {
  attempts: anAttemptCount,
  delay: aNumber("a number of milliseconds from 0", (value) => value >= 0),
  factor: aNumber("a number from 1", (value) => value >= 1),
  maxDelay: aNumber("a finite number of milliseconds from 0", (value) => {
    return value >= 0 && Number.isFinite(value);
  }),
  jitter: aNumber("a number from 0 to 1", (value) => value >= 0 && value <= 1),
};

/** Checks a policy and applies the defaults; throws a ConfigurationError `option_invalid`. */
export function readRetry(given: RetryOptions | undefined, defaults: RetryPolicy): RetryPolicy {
  if (given === undefined) return defaults;
  checkOptions(given, "retry", CHECKS, "retry.");
  return { ...defaults, ...givenOptions(given) };
}
