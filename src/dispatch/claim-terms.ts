import type { ClaimRequest } from "../inbox/claim.ts";
import type { DispatcherOptions } from "./dispatcher-options.ts";
import { horizonOf } from "./horizon.ts";
import { NO_LEFT_KINDS } from "./left-kinds.ts";

/** What all claims of due entries have in common. */
export async function claimTerms(options: DispatcherOptions) {
  const { leaseTime, deadBlocks, sources, runner, leftKinds = NO_LEFT_KINDS } = options;
  const exceptKinds = (await Promise.all(sources.map((source) => leftKinds.of(source)))).flat();
  return {
    leaseTime,
    horizon: horizonOf(options),
    deadBlocks,
    sources,
    exceptKinds,
    runner,
  } satisfies Partial<ClaimRequest>;
}
