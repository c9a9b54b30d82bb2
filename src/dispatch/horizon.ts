import { longestDelay, type RetryPolicy } from "./retry.ts";

/**
 * Milliseconds: a due time more than this beyond the longest possible wait means that the clock was set back. It is
 * long, since another process on this inbox may have longer leases.
 */
export const CLOCK_SLACK = 5 * 60_000;

/** The furthest ahead that an entry can be due, with slack; see `ClaimRequest.horizon`. */
export function horizonOf({
  retry,
  leaseTime,
  unhandledAfter = 0,
}: {
  readonly retry: RetryPolicy;
  readonly leaseTime: number;
  readonly unhandledAfter?: number;
}): number {
  return Math.max(longestDelay(retry), leaseTime, unhandledAfter) + CLOCK_SLACK;
}
