import { randomBytes } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  statSync,
  unlinkSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { HookporterError } from "../../errors.ts";
import { loadSqlite, markAsInbox } from "./client.ts";
import { createSchema } from "./migrations.ts";
import { isHeld, lockedRunners } from "./runner-lock.ts";

// The only file that opens anything of an inbox by other means than SQLite, and only under a name that nobody else knows
// yet. Closing any descriptor of a file drops all POSIX locks that this process holds on it, SQLite's own included; then
// another program takes itself for the last one that has the inbox open, and deletes the log with what was acknowledged
// (sqlite.org/howtocorrupt.html, 2.2).

/** An inbox file that exists. */
export interface InboxFile {
  /** Without symbolic links: the files beside it are named after this. */
  readonly path: string;
  /** Whether it has just been made. */
  readonly isNew: boolean;
}

/** Milliseconds after which a half-made inbox was left behind by a process that was killed. */
const LEFT_BEHIND = 60_000;

/**
 * The inbox file at a path.
 *
 * @throws HookporterError `inbox_unavailable` if there is none
 */
export function findInboxFile(path: string): string {
  if (!existsSync(path)) {
    const message = `expected an inbox at ${path}, got no file: check the path, or start a receiver on it first`;
    throw new HookporterError("inbox_unavailable", message);
  }
  return realpathSync(path);
}

/**
 * The inbox file at a path. If there is none it is made under another name, whole, and then put in place: a process that
 * is killed meanwhile leaves nothing there.
 *
 * @throws HookporterError `inbox_unavailable` if the file is gone or empty, but something of the inbox is left
 */
export function provideInboxFile(given: string): InboxFile {
  const path = existsSync(given) ? realpathSync(given) : given;
  if (sizeOf(path) > 0) return { path, isNew: false };
  const left = leftOf(path);
  // Looked at after what is beside it, since another process may have put it in place meanwhile.
  const size = sizeOf(path);
  if (size > 0) return { path: realpathSync(path), isNew: false };
  if (left !== undefined) throw isGone(path, size, left);
  if (size === 0) return { path, isNew: true }; // an empty file: SQLite fills it, whole or not at all
  return makeInbox(path);
}

/** Bytes of a file; -1 if there is none. */
function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? -1;
}

/** What shows that there was an inbox at a path: its log, or a process that still has it open. */
function leftOf(path: string): string | undefined {
  if (sizeOf(`${path}-wal`) > 0) return `its log ${path}-wal`;
  if (lockedRunners(path).some((id) => isHeld(path, id))) return "a process that has it open";
  return undefined;
}

function isGone(path: string, size: number, left: string): HookporterError {
  return new HookporterError(
    "inbox_unavailable",
    `expected the inbox file ${path} beside ${left}, got ${size < 0 ? "none" : "an empty one"}: put it back; ` +
      "or, to begin a new one and lose the events in the log, stop what has it open and remove the files beside it",
  );
}

function makeInbox(path: string): InboxFile {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  removeLeftBehind(path);
  const made = `${path}-new-${randomBytes(6).toString("hex")}`;
  closeSync(openSync(made, "wx", 0o600)); // before SQLite does, since it would use the process's umask
  try {
    const database = new (loadSqlite().DatabaseSync)(made);
    try {
      markAsInbox(database);
      createSchema(database, Date.now());
    } finally {
      database.close();
    }
    const isNew = putInPlace(made, path);
    return { path: realpathSync(path), isNew };
  } finally {
    if (existsSync(made)) unlinkSync(made);
  }
}

/** Gives the file its name, unless another process was first. */
function putInPlace(made: string, path: string): boolean {
  try {
    linkSync(made, path);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "EEXIST") return false;
    if (existsSync(path)) return false;
    renameSync(made, path); // a file system without links
  }
  flushFolder(dirname(path));
  return true;
}

/** So that the file's name survives a power cut as its content does. */
function flushFolder(folder: string): void {
  try {
    const descriptor = openSync(folder, "r");
    fsyncSync(descriptor);
    closeSync(descriptor);
  } catch {
    // Some systems open no folders. They keep names by themselves.
  }
}

/** Removes half-made inboxes of processes that were killed. */
function removeLeftBehind(path: string): void {
  const start = `${basename(path)}-new-`;
  for (const name of readdirSync(dirname(path))) {
    const file = join(dirname(path), name);
    const changed = name.startsWith(start) ? statSync(file, { throwIfNoEntry: false })?.mtimeMs : undefined;
    if (changed !== undefined && changed < Date.now() - LEFT_BEHIND) unlinkSync(file);
  }
}
