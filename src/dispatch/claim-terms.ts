import type { ClaimRequest } from "../inbox/claim.ts";
import type { DispatcherOptions } from "./dispatcher-options.ts";
import { longestDelay } from "./retry.ts";

/**
 * Milliseconds beyond the longest wait after which a clock was set back; long, since others may
 * have longer leases.
 */
export const CLOCK_SLACK = 5 * 60_000;

export function claimTerms(options: DispatcherOptions) {
  const { retry, leaseTime, unhandledAfter = 0, deadBlocks, sources, runner } = options;
  const horizon = Math.max(longestDelay(retry), leaseTime, unhandledAfter) + CLOCK_SLACK;
  return { leaseTime, horizon, deadBlocks, sources, runner } satisfies Partial<ClaimRequest>;
}

export async function dueTerms(options: DispatcherOptions) {
  const { sources, leftKinds } = options;
  const exceptKinds =
    leftKinds === undefined ? [] : (await Promise.all(sources.map(leftKinds))).flat();
  return { ...claimTerms(options), exceptKinds } satisfies Partial<ClaimRequest>;
}
