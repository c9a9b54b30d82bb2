import type { ClaimRequest } from "../inbox/claim.ts";
import type { DispatcherOptions } from "./dispatcher-options.ts";
import { horizonOf } from "./horizon.ts";

/** What all claims of due entries have in common. */
export function claimTerms(options: DispatcherOptions) {
  const { leaseMs, deadBlocks, sources, runner } = options;
  return {
    leaseMs,
    horizon: horizonOf(options),
    deadBlocks,
    sources,
    runner,
  } satisfies Partial<ClaimRequest>;
}
