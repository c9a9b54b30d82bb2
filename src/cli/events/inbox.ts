import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { HookporterError } from "../../errors.ts";
import type { Entry, Inbox } from "../../inbox/inbox.ts";
import { selectInbox } from "../../inbox/open.ts";
import type { CliContext } from "../context.ts";
import { DEFAULT_INBOX } from "../files/state-folder.ts";

/** The inbox an option names, with paths taken from the working folder; the default one when none is named. */
export function inboxOption({ io }: CliContext, given: string | undefined): string {
  if (given !== undefined && (given === "memory:" || given.includes("://"))) return given;
  return resolve(io.cwd, given ?? DEFAULT_INBOX);
}

/** Which inbox a command works on, and whether it changes it. */
export interface InboxAccess {
  /** As the option names it. */
  readonly inbox: string | undefined;
  readonly access: "read" | "change";
}

/**
 * Opens an inbox that exists, does something with it and closes it again. Neither reading nor changing it brings an older
 * file up to date: a receiver of that older version may be running on it.
 *
 * @throws HookporterError `inbox_unavailable` if there is none: a command that looks must not leave one behind
 */
export async function withInbox<Result>(
  context: CliContext,
  { inbox: given, access }: InboxAccess,
  use: (inbox: Inbox) => Promise<Result>,
): Promise<Result> {
  const path = inboxOption(context, given);
  const inbox = selectInbox(path);
  if (!existsSync(path)) {
    const fix = "run `hookporter listen` here first, or name one with --inbox";
    throw new HookporterError("inbox_unavailable", `there is no inbox at ${path}: ${fix}`);
  }
  await inbox.open({ access });
  try {
    return await use(inbox);
  } finally {
    await inbox.close();
  }
}

/**
 * The one entry that an entry number, an event id or the beginning of one names.
 *
 * @throws HookporterError `entry_unknown` where there is none, or more than one
 */
export async function findEntry(inbox: Inbox, reference: string): Promise<Entry> {
  const bySeq = /^#?\d{1,15}$/.test(reference)
    ? await inbox.list({ seq: Number(reference.replace("#", "")) })
    : [];
  const found = bySeq.length > 0 ? bySeq : await inbox.list({ eventId: reference, limit: 50 });
  const whole = found.filter(({ key }) => key.eventId === reference);
  const [entry, ...others] = whole.length > 0 ? whole : found;
  if (entry === undefined) {
    throw new HookporterError(
      "entry_unknown",
      `no entry ${reference} in this inbox: \`hookporter events list\` shows them`,
    );
  }
  if (others.length > 0) {
    const seqs = [entry, ...others].map(({ seq }) => `#${seq}`);
    throw new HookporterError(
      "entry_unknown",
      `${reference} names ${seqs.length} entries (${seqs.slice(0, 5).join(", ")} …): give the number of one`,
    );
  }
  return entry;
}
