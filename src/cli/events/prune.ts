import type { EndedState } from "../../inbox/entry-state.ts";
import { type Pruning, pruneInbox } from "../../inbox/prune.ts";
import { DEFAULT_AGES } from "../../receiver/options/settings.ts";
import type { CliContext } from "../context.ts";
import { usageError } from "../input-errors.ts";
import { withInbox } from "./inbox.ts";
import type { SelectOptions } from "./selection.ts";

/** Options of `events prune`; ages are milliseconds. */
export interface PruneOptions extends Pick<SelectOptions, "inbox" | "source"> {
  readonly state?: readonly EndedState[];
  readonly olderThan?: number;
  readonly deliveriesOlderThan?: number;
}

/**
 * The minimum age for pruning, after which a replay is refused as too old with a receiver's default
 * options.
 */
const YOUNGEST = DEFAULT_AGES.maxAge + DEFAULT_AGES.maxSkew;

/** What the options ask to delete. Throws `usage` for an age that is too low. */
export function pruningOf(
  options: PruneOptions,
  { clock }: CliContext,
): Required<Pick<Pruning, "prune" | "slim">> {
  const { state: states = ["handled", "received"], olderThan = DEFAULT_AGES.retention } = options;
  const { deliveriesOlderThan = DEFAULT_AGES.deliveryRetention } = options;
  if (olderThan < YOUNGEST)
    throw usageError(
      `expected --older-than to be at least ${Math.ceil(YOUNGEST / 3_600_000)}h: a younger event may be sent again, and a receiver could not tell that it is known`,
    );
  const until = clock() - olderThan;
  const sources = options.source === undefined ? {} : { sources: options.source };
  return {
    prune: { states, receivedUntil: until, datedUntil: until, ...sources },
    slim: { settledUntil: clock() - deliveriesOlderThan, ...sources },
  };
}

export async function pruneEvents(options: PruneOptions, context: CliContext): Promise<void> {
  const { output } = context;
  const pruning = pruningOf(options, context);
  await withInbox(context, { inbox: options.inbox, access: "change" }, async (inbox) => {
    const { pruned, slimmed } = await pruneInbox(inbox, pruning);
    output.data(`entries deleted: ${pruned}; deliveries deleted from other entries: ${slimmed}`);
    output.record("prune", { pruned, slimmed });
  });
}
