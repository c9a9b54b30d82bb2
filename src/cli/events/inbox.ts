import { accessSync, constants, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import { HookporterError } from "../../base/errors.ts";
import { makeFolder } from "../../base/make-folder.ts";
import { ownCommand } from "../../base/package/own-command.ts";
import { withFileErrors } from "../../base/unusable.ts";
import type { Entry } from "../../inbox/entry.ts";
import type { Inbox } from "../../inbox/inbox.ts";
import { selectInbox } from "../../inbox/open.ts";
import type { CliContext } from "../context.ts";
import { DEFAULT_INBOX } from "../files/state-folder.ts";
import { type NamedInbox, nameInbox } from "../inbox/named-inbox.ts";
import { inMemory, leftOver, printWhichInbox } from "../inbox/which-inbox.ts";
import { matching } from "./matching.ts";

const { R_OK, W_OK, X_OK } = constants;

const ANOTHER = "pass another inbox with --inbox";

interface InboxAccess {
  /** As the option names it. */
  readonly inbox: string | undefined;
  readonly access: "read" | "change";
  /** Whether it was chosen by an endpoint, so that no other was meant. Default `false`. */
  readonly ofEndpoint?: boolean;
}

/**
 * Opens an existing inbox, uses it and closes it again. Neither reading nor changing migrates an
 * older file: a receiver of that older version may be running on it. Throws `inbox_unavailable` if
 * there is none: a command that only reads must not create one; `folder_unusable` if this user may
 * not read it.
 */
export async function withInbox<Result>(
  context: CliContext,
  { inbox: given, access, ofEndpoint = false }: InboxAccess,
  use: (inbox: Inbox) => Promise<Result>,
): Promise<Result> {
  const named = nameInbox(context, given);
  const inbox = selectInbox(named.option);
  requireInbox(named, access, context);
  if (!ofEndpoint) await printWhichInbox(named.option, context);
  await inbox.open({ access });
  try {
    return await use(inbox);
  } finally {
    await inbox.close();
  }
}

/**
 * Checks that an inbox is there, and that this user may use it; one on a server is not asked.
 * Throws `inbox_unavailable`, `folder_unusable`.
 */
export function requireInbox(
  { option, shown, file }: NamedInbox,
  access: InboxAccess["access"],
  context: CliContext,
): void {
  if (option !== "memory:" && (file === undefined || isThere(file, access))) return;
  const kept = option === "memory:" ? inMemory(context) : undefined;
  if (kept !== undefined) throw kept;
  // If a project or a flag named the inbox, `listen` alone would create another.
  const isDefault = file?.endsWith(DEFAULT_INBOX) === true;
  const start = isDefault ? `run \`${ownCommand("listen")}\` here` : "start its receiver";
  const left = leftOver(context);
  const other =
    left === undefined ? "pass one with --inbox" : `add --inbox ${left} for what listen has kept`;
  throw new HookporterError(
    "inbox_unavailable",
    `there is no inbox at ${shown}: ${start} first, or ${other}`,
  );
}

/** Whether a file exists; one in a folder that this user may not search may well exist. */
function isThere(path: string, access: InboxAccess["access"]): boolean {
  const isUsable = () => {
    if (found(path) === undefined) return false;
    accessSync(path, access === "read" ? R_OK : R_OK | W_OK);
    return true;
  };
  return withFileErrors(path, isUsable, ANOTHER);
}

/**
 * What is at a path. A folder is an error: SQLite would report it as a broken disk. Since Node 24,
 * `throwIfNoEntry: false` also hides that a part of the path is a file.
 */
function found(path: string): Stats | undefined {
  try {
    const stats = statSync(path);
    if (!stats.isDirectory()) return stats;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw thrown;
  }
  throw Object.assign(new Error("it is a folder"), { code: "EISDIR", path });
}

/**
 * Checks that this user can create an inbox, or use the existing one. SQLite would report a file
 * that it cannot open without cause or owner. Throws `folder_unusable`.
 */
export function checkInbox({ file: path }: NamedInbox): void {
  if (path === undefined) return;
  const check = () => {
    const file = found(path);
    if (file?.isFile() === true) accessSync(path, R_OK | W_OK);
    if (file !== undefined) return;
    makeFolder(dirname(path), 0o700);
    accessSync(dirname(path), W_OK | X_OK);
  };
  withFileErrors(path, check, ANOTHER);
}

/**
 * Finds the one entry with a number, an event id or the beginning of one. A number is no beginning:
 * the entry that had it may have been pruned. With 12 digits it is one, as where ids are cut.
 * Throws `entry_unknown` if there is none, or more than one.
 */
export async function findEntry(inbox: Inbox, reference: string): Promise<Entry> {
  const isNumber = /^#?\d{1,11}$/.test(reference);
  const found = isNumber
    ? [...(await inbox.list({ seq: Number(reference.replace("#", "")) }))]
    : [];
  const byId =
    found.length > 0 || reference === "" ? [] : matching(inbox, { eventId: reference }, []);
  for await (const { entry } of byId)
    if (entry.key.eventId === reference || (!isNumber && found.length < 50)) found.unshift(entry);
  const whole = found.filter(({ key }) => key.eventId === reference);
  const [entry, ...others] = whole.length > 0 ? whole : found;
  if (entry === undefined)
    throw new HookporterError(
      "entry_unknown",
      `no entry ${reference} in this inbox: run \`${ownCommand("events list")}\` to see the entries`,
    );
  if (others.length > 0) {
    const seqs = [entry, ...others].map(({ seq }) => `#${seq}`);
    throw new HookporterError(
      "entry_unknown",
      `${reference} matches ${seqs.length} entries (${seqs.slice(0, 5).join(", ")} …): pass the number of one`,
    );
  }
  return entry;
}
