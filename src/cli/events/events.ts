import { mkdirSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { HookporterError } from "../../errors.ts";
import type { Delivery } from "../../event/delivery.ts";
import { readEnvelopeAgain } from "../../event/read-envelope.ts";
import { documentedProblems } from "../../event/schemas.ts";
import type { Entry, EntryFilter, EntryState, Inbox } from "../../inbox/inbox.ts";
import { summarise } from "../../inspector/verdict.ts";
import { formatDelivery } from "../../relay/fixture.ts";
import { fixtureName } from "../../relay/fixture-name.ts";
import type { CliContext } from "../context.ts";
import { describeFileError } from "../files/file-error.ts";
import type { Output } from "../output.ts";
import { printable } from "../printable.ts";
import { entryFields, entryLine, entryPage, runFields } from "./entry-view.ts";
import { findEntry, withInbox } from "./inbox.ts";

/** How many entries `events list` shows by default. */
export const LIST_LIMIT = 50;

/** The options that select entries. */
export interface SelectOptions {
  readonly inbox?: string;
  readonly state?: readonly EntryState[];
  readonly kind?: readonly string[];
  readonly source?: readonly string[];
  readonly since?: number;
  readonly until?: number;
  readonly limit?: number;
}

/** Options of `events redrive`. */
export interface RedriveOptions extends SelectOptions {
  readonly all?: boolean;
}

/** Options of `events export`. */
export interface ExportOptions extends SelectOptions {
  readonly to?: string;
}

/** `events list`. */
export async function listEvents(options: SelectOptions, context: CliContext): Promise<void> {
  const { output } = context;
  await withInbox(context, { inbox: options.inbox, access: "read" }, async (inbox) => {
    const entries = await inbox.list({ ...toFilter(options), limit: options.limit ?? LIST_LIMIT });
    for (const entry of entries) {
      output.data(entryLine(entry, output.color));
      output.record("entry", entryFields(entry));
    }
    const counts = await inbox.counts();
    const total = Object.entries(counts).filter(([, count]) => count > 0);
    output.talk(
      `${entries.length} shown; the inbox has ${total.map(([state, n]) => `${n} ${state}`).join(", ") || "none"}`,
    );
  });
}

/** `events show`. */
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
      output.raw(delivery.body);
      return;
    }
    const attempts = await inbox.attempts(entry.seq);
    for (const line of entryPage(entry, delivery, attempts, output.color)) output.data(line);
    const fixture = delivery === undefined ? null : JSON.parse(formatDelivery(delivery));
    output.record("entry", { ...entryFields(entry), delivery: fixture, runs: runFields(attempts) });
  });
}

/** `events redrive`. */
export async function redriveEvents(
  references: readonly string[],
  options: RedriveOptions,
  context: CliContext,
): Promise<void> {
  const { output, clock } = context;
  const filter = toFilter(options);
  const chosen = references.length > 0 || Object.keys(filter).length > 0;
  if (!chosen && options.all !== true) {
    throw new HookporterError(
      "usage",
      "expected entries, a selection such as --state dead, or --all, got none: pass one",
    );
  }
  const wrong = options.state?.find((state) => state !== "dead" && state !== "unhandled");
  if (wrong !== undefined) {
    throw new HookporterError(
      "usage",
      `expected --state dead or unhandled, got ${wrong}: other entries run without being redriven`,
    );
  }
  await withInbox(context, { inbox: options.inbox, access: "change" }, async (inbox) => {
    const seqs = await Promise.all(references.map(async (one) => (await findEntry(inbox, one)).seq));
    await sayWhatStillDoesNotFit(inbox, { ...filter, ...(seqs.length > 0 && { seqs }) }, output);
    let redriven = 0;
    if (references.length === 0) redriven = await inbox.redrive(filter, clock());
    for (const reference of references) {
      const { seq, state } = await findEntry(inbox, reference);
      const changed = await inbox.redrive({ ...filter, seq }, clock());
      if (changed === 0) output.talk(`#${seq} is ${state}, or not selected: skipped`);
      redriven += changed;
    }
    output.data(`${redriven} redriven`);
    output.record("redrive", { redriven });
    if (redriven > 0) output.talk("they will run as soon as a receiver has this inbox open");
  });
}

/** The number of entries that are checked, and of those that are named, before a redrive. */
const CHECKED = 1000;
const NAMED_UNFIT = 10;

/** Names entries whose data still does not fit the documented schema: they would be dead letters again. */
async function sayWhatStillDoesNotFit(inbox: Inbox, filter: EntryFilter, output: Output): Promise<void> {
  const entries = await inbox.list({ ...filter, states: ["dead"], limit: CHECKED });
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

/** `events export`. */
export async function exportEvents(options: ExportOptions, context: CliContext): Promise<void> {
  const { io, output } = context;
  await withInbox(context, { inbox: options.inbox, access: "read" }, async (inbox) => {
    const limit = options.limit === undefined ? {} : { limit: options.limit };
    const entries = await inbox.list({ ...toFilter(options), ...limit });
    let written = 0;
    for (const entry of entries) {
      const delivery = await inbox.delivery(entry.seq);
      if (delivery === undefined) continue;
      if (options.to === undefined)
        output.raw(Buffer.from(`${JSON.stringify(JSON.parse(formatDelivery(delivery)))}\n`));
      else writeFixture(resolve(io.cwd, options.to), entry, delivery);
      written++;
    }
    output.talk(`${written} exported`);
  });
}

function writeFixture(folder: string, { kind, key, seq }: Entry, delivery: Delivery): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const name = fixtureName(delivery.receivedAt, seq, kind, key.eventId);
    writeFileSync(resolve(folder, name), formatDelivery(delivery), { mode: 0o600 });
  } catch (cause) {
    throw new HookporterError(
      "input_invalid",
      `${folder} could not be written: ${describeFileError(cause)}`,
      {
        cause,
      },
    );
  }
}

function toFilter({ state, kind, source, since, until }: SelectOptions): EntryFilter {
  return {
    ...(state !== undefined && { states: state }),
    ...(kind !== undefined && { kinds: kind }),
    ...(source !== undefined && { sources: source }),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
  };
}
