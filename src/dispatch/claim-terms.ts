import type { ClaimRequest } from "../inbox/claim.ts";
import type { DispatcherOptions } from "./dispatcher-options.ts";
import { horizonOf } from "./horizon.ts";

/** What all claims of due entries have in common. */
export async function claimTerms(options: DispatcherOptions) {
  const { leaseTime, deadBlocks, sources, runner, leftKinds } = options;
  const exceptKinds = leftKinds === undefined ? [] : (await Promise.all(sources.map(leftKinds))).flat();
  return {
    leaseTime,
    horizon: horizonOf(options),
    deadBlocks,
    sources,
    exceptKinds,
    runner,
  } satisfies Partial<ClaimRequest>;
}
