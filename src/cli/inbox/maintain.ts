import { countDays, makeDaysAhead } from "../../inbox/postgres/care.ts";
import { isPostgresUrl } from "../../inbox/postgres/postgres-url.ts";
import { pruneInbox } from "../../inbox/prune.ts";
import type { CliContext } from "../context.ts";
import { withInbox } from "../events/inbox.ts";
import { type PruneOptions, pruningOf } from "../events/prune.ts";
import { nameInbox } from "./named-inbox.ts";

export async function maintainInbox(options: PruneOptions, context: CliContext): Promise<void> {
  const { output } = context;
  const { prune, slim } = pruningOf(options, context);
  const { option } = nameInbox(context, options.inbox);
  const isDatabase = isPostgresUrl(option);
  const before = isDatabase ? await makeDaysAhead(option) : { made: 0, days: 0 };
  const { pruned, slimmed } = await withInbox(
    context,
    { inbox: options.inbox, access: "change" },
    (inbox) => pruneInbox(inbox, { prune: { ...prune, wholeDays: isDatabase }, slim }),
  );
  const dropped = isDatabase ? Math.max(0, before.days - (await countDays(option))) : 0;
  const days = isDatabase ? `days made: ${before.made}; days dropped: ${dropped}; ` : "";
  output.data(
    `${days}entries deleted: ${pruned}; deliveries deleted from other entries: ${slimmed}`,
  );
  output.record("maintain", { daysMade: before.made, daysDropped: dropped, pruned, slimmed });
}
