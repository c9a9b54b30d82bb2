import { accessSync, constants, mkdirSync, type Stats, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { ConfigurationError, HookporterError } from "../../errors.ts";
import type { Entry } from "../../inbox/entry.ts";
import type { Inbox } from "../../inbox/inbox.ts";
import { selectInbox } from "../../inbox/open.ts";
import { isPostgresUrl } from "../../inbox/postgres/options.ts";
import type { CliContext } from "../context.ts";
import { DEFAULT_INBOX } from "../files/state-folder.ts";
import { unusable } from "../files/unusable.ts";

const { R_OK, W_OK, X_OK } = constants;

/** What to do if an inbox cannot be used. */
const ANOTHER = "pass another inbox with --inbox";

/**
 * The inbox named by an option, relative to the working folder; the default inbox if there is none.
 *
 * @throws ConfigurationError `inbox_unsupported` for the URL of a database, which may contain a password and is shown
 */
export function inboxOption({ io }: CliContext, given: string | undefined): string {
  if (given !== undefined && isPostgresUrl(given)) {
    throw new ConfigurationError(
      "inbox_unsupported",
      'expected an inbox as a file path or "memory:", got a postgres URL: the commands work with files so far',
    );
  }
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
 * Opens an existing inbox, uses it and closes it again. Neither reading nor changing migrates an older file: a receiver of
 * that older version may be running on it.
 *
 * @throws HookporterError `inbox_unavailable` if there is none: a command that only reads must not create one;
 *   `folder_unusable` if this user may not read it
 */
export async function withInbox<Result>(
  context: CliContext,
  { inbox: given, access }: InboxAccess,
  use: (inbox: Inbox) => Promise<Result>,
): Promise<Result> {
  const path = inboxOption(context, given);
  const inbox = selectInbox(path);
  if (!isThere(path, access)) {
    const fix = "run `hookporter listen` here first, or pass one with --inbox";
    throw new HookporterError("inbox_unavailable", `there is no inbox at ${path}: ${fix}`);
  }
  await inbox.open({ access });
  try {
    return await use(inbox);
  } finally {
    await inbox.close();
  }
}

/** Whether a file exists; one in a folder that this user may not search may well exist. */
function isThere(path: string, access: InboxAccess["access"]): boolean {
  try {
    if (found(path) === undefined) return false;
    accessSync(path, access === "read" ? R_OK : R_OK | W_OK);
    return true;
  } catch (thrown) {
    throw unusable(path, thrown, ANOTHER);
  }
}

/** What is at a path. Since Node 24, `throwIfNoEntry: false` also hides that a part of the path is a file. */
function found(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw thrown;
  }
}

/**
 * Checks that this user can create an inbox, or use the existing one. SQLite would report a file that it cannot open
 * without cause or owner.
 *
 * @throws HookporterError `folder_unusable`
 */
export function checkInbox(path: string): void {
  if (path === "memory:" || path.includes("://")) return;
  try {
    const file = found(path);
    if (file?.isFile() === true) accessSync(path, R_OK | W_OK);
    if (file !== undefined) return;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    accessSync(dirname(path), W_OK | X_OK);
  } catch (thrown) {
    throw unusable(path, thrown, ANOTHER);
  }
}

/**
 * Finds the one entry with a number, an event id or the beginning of one.
 *
 * @throws HookporterError `entry_unknown` if there is none, or more than one
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
      `no entry ${reference} in this inbox: run \`hookporter events list\` to see the entries`,
    );
  }
  if (others.length > 0) {
    const seqs = [entry, ...others].map(({ seq }) => `#${seq}`);
    throw new HookporterError(
      "entry_unknown",
      `${reference} matches ${seqs.length} entries (${seqs.slice(0, 5).join(", ")} …): pass the number of one`,
    );
  }
  return entry;
}
