import { resolve } from "node:path";
import type { Command } from "commander";
import { HookporterError } from "../../base/errors.ts";
import { counted } from "../../base/text/counted.ts";
import { countsText, stateCounts } from "../../inbox/counts.ts";
import type { EntryFilter } from "../../inbox/entry-filter.ts";
import { failureGroups, LOOKED_AT } from "../../inbox/failures.ts";
import type { Inbox } from "../../inbox/inbox.ts";
import { mismatchedSources } from "../../receiver/mismatch-text.ts";
import { fixtureName, formatDelivery } from "../../relay/fixture.ts";
import type { CliContext } from "../context.ts";
import { writeOut } from "../files/replace-file.ts";
import { resolveOptionConflicts } from "../settings/fitting.ts";
import { entryFields, entryPage, printEntry, runFields } from "./entry-view.ts";
import { groupFields, groupLines } from "./failure-view.ts";
import { followEvents, newestSeq } from "./follow.ts";
import { findEntry, withInbox } from "./inbox.ts";
import { sayPauses } from "./pause.ts";
import { type SelectOptions, toFilter } from "./selection.ts";

/** How many entries `events list` shows by default. */
export const LIST_LIMIT = 50;

export interface ListOptions extends SelectOptions {
  readonly group?: boolean;
  readonly follow?: boolean;
}

export async function listEvents(
  given: ListOptions,
  command: Command,
  context: CliContext,
): Promise<void> {
  const { output } = context;
  const options = resolveOptionConflicts(given, command, { group: { excludes: ["follow"] } });
  await withInbox(context, { inbox: options.inbox, access: "read" }, async (inbox) => {
    const newest = await newestSeq(inbox);
    const filter = await toFilter(options, inbox, output);
    if (options.group === true)
      return listFailures(inbox, { limit: options.limit ?? LOOKED_AT, ...filter }, context);
    const entries = await inbox.list({ ...filter, limit: options.limit ?? LIST_LIMIT });
    for (const entry of entries) printEntry(entry, context.clock(), output);
    const counts = stateCounts(await inbox.counts());
    const senders = await inbox.senders().catch(() => []);
    for (const { text } of mismatchedSources(senders, context.clock())) output.talk(text);
    await sayPauses(inbox, output, context.clock());
    output.talk(`${entries.length} shown; the inbox has ${countsText(counts) || "none"}`);
    if (options.follow === true)
      await followEvents(inbox, filter, Math.max(newest, entries.at(-1)?.seq ?? 0), context);
  });
}

async function listFailures(inbox: Inbox, filter: EntryFilter, { output, clock }: CliContext) {
  const { groups, isPart } = await failureGroups(inbox, [], filter);
  for (const group of groups) {
    for (const line of groupLines(group, clock(), output)) output.data(line);
    output.record("failures", groupFields(group));
  }
  const sum = groups.reduce((all, { seqs }) => all + seqs.length, 0);
  const of = isPart ? " of the newest" : "";
  const errors = `${counted(groups.length, "error", "errors")} in ${counted(sum, "entry", "entries")}`;
  output.talk(sum === 0 ? "nothing failed" : errors + of);
}

export async function showEvent(
  reference: string,
  options: { readonly inbox?: string; readonly body?: boolean },
  context: CliContext,
): Promise<void> {
  const { output } = context;
  await withInbox(context, { inbox: options.inbox, access: "read" }, async (inbox) => {
    const entry = await findEntry(inbox, reference);
    const delivery = await inbox.delivery(entry.seq);
    if (options.body === true) {
      if (delivery === undefined)
        throw new HookporterError("entry_unknown", `entry #${entry.seq} no longer has a body`);
      output.writeStdout(delivery.body);
      return;
    }
    const attempts = await inbox.attempts(entry.seq);
    for (const line of entryPage(entry, delivery, attempts, output)) output.data(line);
    const fixture = delivery === undefined ? null : JSON.parse(formatDelivery(delivery));
    output.record("entry", { ...entryFields(entry), delivery: fixture, runs: runFields(attempts) });
  });
}

export async function exportEvents(
  options: SelectOptions & { readonly to?: string },
  context: CliContext,
) {
  const { io, output } = context;
  await withInbox(context, { inbox: options.inbox, access: "read" }, async (inbox) => {
    const limit = options.limit === undefined ? {} : { limit: options.limit };
    const entries = await inbox.list({ ...(await toFilter(options, inbox, output)), ...limit });
    let written = 0;
    for (const { kind, key, seq } of entries) {
      const delivery = await inbox.delivery(seq);
      if (delivery === undefined) continue;
      if (options.to === undefined)
        output.writeStdout(
          Buffer.from(`${JSON.stringify(JSON.parse(formatDelivery(delivery)))}\n`),
        );
      else {
        const folder = resolve(io.cwd, options.to);
        const name = fixtureName(delivery.receivedAt, seq, kind, key.eventId);
        writeOut(resolve(folder, name), formatDelivery(delivery), folder);
      }
      written++;
    }
    output.talk(`${written} exported`);
  });
}
