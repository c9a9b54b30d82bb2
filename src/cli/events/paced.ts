import { ownCommand } from "../../base/package/own-command.ts";
import { counted } from "../../base/text/counted.ts";
import { durationText } from "../../base/text/duration-text.ts";
import { changeEntries } from "../../inbox/change-entries.ts";
import type { EntryFilter } from "../../inbox/entry-filter.ts";
import type { Inbox } from "../../inbox/inbox.ts";
import { intervalOf, retryAtPace, retryableSeqs } from "../../inbox/paced-retry.ts";
import type { CliContext } from "../context.ts";
import { ownName } from "./pause.ts";

export interface PaceOptions {
  readonly rate?: number;
  readonly dryRun?: boolean;
}

/**
 * Retries the entries that match, oldest first, at the given pace; returns how many, with `dryRun`
 * those that it would.
 */
export async function retryOldest(
  inbox: Inbox,
  filter: EntryFilter,
  { rate, dryRun }: { readonly [Name in keyof PaceOptions]: PaceOptions[Name] | undefined },
  { output, clock }: CliContext,
): Promise<number> {
  const seqs = await retryableSeqs(inbox, filter);
  const first = seqs.at(0);
  const last = seqs.at(-1);
  const takes =
    rate === undefined || seqs.length === 0
      ? ""
      : ` at ${rate} a second, which takes ${durationText(intervalOf(rate) * seqs.length)}`;
  const which = seqs.length === 0 ? "" : `, #${first} to #${last}`;
  if (dryRun === true) {
    output.data(`${counted(seqs.length, "entry", "entries")} would be retried${which}${takes}`);
    output.record("retry", { wouldRetry: seqs.length, first, last });
    return seqs.length;
  }
  const now = inbox.now ?? clock();
  if (rate === undefined || seqs.length === 0) {
    const { due, ended } = await changeEntries(inbox, "retry", { seqs }, now);
    output.data(`${due + ended} to be retried now${which}`);
    output.record("retry", { retried: due + ended, ended, first, last });
    return due + ended;
  }
  const { id, changed } = await retryAtPace(inbox, seqs, { since: now, who: ownName(), rate });
  output.data(`retry ${id}: ${counted(changed, "entry", "entries")}${which}${takes}`);
  output.record("retry", { retried: changed, retry: id, first, last });
  output.talk(
    `it stops if more than half of its latest entries fail again, until you resume it; \`${ownCommand("events pause")}\` shows how far it is`,
  );
  return changed;
}
