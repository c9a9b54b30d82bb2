import { ownCommand } from "../../base/package/own-command.ts";
import { counted } from "../../base/text/counted.ts";
import { readEnvelopeAgain } from "../../event/read-envelope.ts";
import { documentedProblems } from "../../event/schemas.ts";
import {
  CHANGEABLE,
  type Change,
  type Changed,
  changedInAll,
  changeEntries,
} from "../../inbox/change-entries.ts";
import type { Entry } from "../../inbox/entry.ts";
import type { EntryFilter } from "../../inbox/entry-filter.ts";
import { OPEN_STATES } from "../../inbox/entry-state.ts";
import type { Inbox } from "../../inbox/inbox.ts";
import { retryableSeqs } from "../../inbox/paced-retry.ts";
import { summarise } from "../../inspector/live/verdict.ts";
import type { CliContext } from "../context.ts";
import { type Output, printable } from "../output.ts";
import { findEntry, withInbox } from "./inbox.ts";
import { type PaceOptions, retryOldest } from "./paced.ts";
import { sayPauses } from "./pause.ts";
import { type ChangeOptions, checkChange, toFilter } from "./selection.ts";

export async function retryEvents(
  references: readonly string[],
  { rate, limit, dryRun, ...options }: ChangeOptions & PaceOptions,
  context: CliContext,
): Promise<void> {
  const { output } = context;
  const why = "running entries are being tried, and handled ones have succeeded";
  checkChange(references, options, { states: CHANGEABLE.retry, why });
  await withInbox(context, { inbox: options.inbox, access: "change" }, async (inbox) => {
    const given = await toFilter(options, inbox, output);
    // What a person let go runs again only if it is named, or asked for as such.
    const filter = references.length === 0 ? { dropped: false, ...given } : given;
    const named = await findAll(inbox, references);
    const seqs = named.map(({ seq }) => seq).filter((seq) => given.seqs?.includes(seq) !== false);
    const all = named.length === 0 ? filter : { ...filter, seqs };
    const chosen =
      limit === undefined ? all : { ...all, seqs: await retryableSeqs(inbox, all, limit) };
    await printWhatStillDoesNotFit(inbox, chosen, output);
    let retried: number;
    if (rate === undefined && limit === undefined && dryRun !== true) {
      const { due, ended } = await changeEach(inbox, named, filter, "retry", context);
      retried = due + ended;
      output.data(`${retried} to be retried now`);
      output.record("retry", { retried, ended });
    } else retried = await retryOldest(inbox, chosen, { rate, dryRun }, context);
    await printTargets(inbox, filter, retried, output);
    if (filter.dropped === false) await printDropped(inbox, filter, output);
    if (retried > 0 && dryRun !== true) {
      const runs = (await inbox.runners()).some(({ role }) => role !== "receive");
      output.talk(
        `they ${runs ? "run now: a receiver has" : "will run as soon as a receiver has"} this inbox open`,
      );
    }
    await sayPauses(inbox, output, context.clock());
  });
}

export async function dropEvents(
  references: readonly string[],
  options: ChangeOptions,
  context: CliContext,
) {
  const { output } = context;
  checkChange(references, options, {
    states: CHANGEABLE.drop,
    why: "handled entries have succeeded",
  });
  await withInbox(context, { inbox: options.inbox, access: "change" }, async (inbox) => {
    const filter = await toFilter(options, inbox, output);
    // What has ended already is dropped only if it is named, or its state is.
    const bold = references.length > 0 || options.state !== undefined;
    const chosen = bold ? filter : { ...filter, states: OPEN_STATES };
    const named = await findAll(inbox, references);
    const { dropped } = await changeEach(inbox, named, chosen, "drop", context);
    output.data(`${dropped} dropped`);
    output.record("drop", { dropped });
    await printTargets(inbox, chosen, dropped, output);
    if (dropped > 0)
      output.talk(
        `they stay in the inbox, as dead letters: \`${ownCommand("events retry --dropped")}\` runs them again`,
      );
  });
}

/**
 * The named entries, each once. All are found before any is changed, so that a misspelt one leaves
 * the others as they are.
 */
async function findAll(inbox: Inbox, references: readonly string[]): Promise<readonly Entry[]> {
  const found = await Promise.all(references.map((reference) => findEntry(inbox, reference)));
  return [...new Map(found.map((entry) => [entry.seq, entry])).values()];
}

/** Changes the entries that match a filter, or those of them that are named. */
async function changeEach(
  inbox: Inbox,
  named: readonly Entry[],
  filter: EntryFilter,
  change: Change,
  { output, clock }: CliContext,
): Promise<Changed> {
  if (named.length === 0) return changeEntries(inbox, change, filter, clock());
  const sum = { due: 0, ended: 0, dropped: 0 };
  for (const entry of named) {
    const changed = await changeEntries(inbox, change, { ...filter, seq: entry.seq }, clock());
    if (changedInAll(changed) === 0)
      output.talk(`#${entry.seq} is ${entry.state}, or not selected: skipped`);
    sum.due += changed.due;
    sum.ended += changed.ended;
    sum.dropped += changed.dropped;
  }
  return sum;
}

/** If no entry matched a target, prints which targets entries wait for. */
async function printTargets(
  inbox: Inbox,
  filter: EntryFilter,
  changed: number,
  output: Output,
): Promise<void> {
  if (changed > 0 || filter.targets === undefined) return;
  const waiting = await inbox.waiting();
  const list = waiting
    .map(({ target, entries }) => `${printable(target, 200)} (${entries})`)
    .join(", ");
  output.talk(waiting.length === 0 ? "no entry waits for a target" : `entries wait for ${list}`);
}

/** Prints how many entries a selection left alone, as they were dropped. */
async function printDropped(inbox: Inbox, filter: EntryFilter, output: Output): Promise<void> {
  if (filter.states?.includes("dead") === false) return;
  const { length } = await inbox.list({
    ...filter,
    states: ["dead"],
    dropped: true,
    limit: CHECKED,
  });
  if (length === 0) return;
  const those =
    (length < CHECKED ? "" : "at least ") + counted(length, "entry stays", "entries stay");
  output.talk(
    `${those} dropped: \`${ownCommand("events retry --dropped")}\` runs what was dropped`,
  );
}

/** The number of entries that are looked at, and of those that are named, around a retry. */
const CHECKED = 1000;
const NAMED_UNFIT = 10;

/**
 * Names entries whose data still does not fit the documented schema: they would be dead letters
 * again.
 */
async function printWhatStillDoesNotFit(
  inbox: Inbox,
  filter: EntryFilter,
  output: Output,
): Promise<void> {
  const states = (filter.states ?? CHANGEABLE.retry).filter((state) => state === "dead");
  const entries = await inbox.list({ ...filter, states, limit: CHECKED });
  const unfit: string[] = [];
  for (const { seq, reason } of entries) {
    const delivery = reason === "invalid_data" ? await inbox.delivery(seq) : undefined;
    const read = delivery === undefined ? undefined : readEnvelopeAgain(delivery.body);
    if (read?.ok !== true) continue;
    const problems = documentedProblems(read.envelope.event, read.envelope.data);
    if (problems.length > 0) unfit.push(`#${seq} (${printable(summarise(problems), 300)})`);
  }
  if (unfit.length === 0) return;
  const named = unfit.slice(0, NAMED_UNFIT).join(", ");
  const more = unfit.length > NAMED_UNFIT ? ` and ${unfit.length - NAMED_UNFIT} more` : "";
  output.talk(
    `${named}${more} will be dead letters again, unless the receiver has a schema of its own for their kind`,
  );
}
