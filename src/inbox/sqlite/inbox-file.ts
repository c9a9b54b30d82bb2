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

// The only module that opens a file of an inbox without SQLite, and only under a new name that no other program knows.
// Closing any descriptor of a file drops all POSIX locks that this process holds on it, SQLite's included. Another
// program would then believe that it is the last one to close the inbox, and delete the log with acknowledged events
// (sqlite.org/howtocorrupt.html, 2.2).

export interface InboxFile {
  /** With symbolic links resolved: the files beside it are named after this. */
  readonly path: string;
  /** Whether it was just made. */
  readonly isNew: boolean;
}

/** Milliseconds after which a half-made inbox is taken for one that a killed process left behind. */
const LEFT_BEHIND = 60_000;

/**
 * The path of an existing inbox file, with symbolic links resolved.
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
 * The inbox file at a path, made if there is none. A new one is made complete under another name and then moved, so a
 * process that is killed meanwhile leaves nothing at the path.
 *
 * @throws HookporterError `inbox_unavailable` if the file is missing or empty, but its log or a process that uses it is
 *   there
 */
export function provideInboxFile(given: string): InboxFile {
  const path = existsSync(given) ? realpathSync(given) : given;
  if (existsSync(dirname(path))) removeLeftBehind(path);
  if (sizeOf(path) > 0) return { path, isNew: false };
  const left = leftOf(path);
  // Measured again after the files beside it, since another process may have made it meanwhile.
  const size = sizeOf(path);
  if (size > 0) return { path: realpathSync(path), isNew: false };
  if (left !== undefined) throw isGone(path, size, left);
  if (size === 0) return { path, isNew: true }; // SQLite fills an empty file in one transaction
  return makeInbox(path);
}

/** The size of a file in bytes; -1 if there is none. */
function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? -1;
}

/** Evidence of an earlier inbox at a path: its log, or a process that still has it open. */
function leftOf(path: string): string | undefined {
  if (sizeOf(`${path}-wal`) > 0) return `its log ${path}-wal`;
  if (lockedRunners(path).some((id) => isHeld(path, id))) return "a process that has it open";
  return undefined;
}

function isGone(path: string, size: number, left: string): HookporterError {
  return new HookporterError(
    "inbox_unavailable",
    `expected the inbox file ${path} beside ${left}, got ${size < 0 ? "none" : "an empty one"}: put it back; ` +
      "or, to lose the events in the log and start a new one, stop all programs that use it and remove those files",
  );
}

function makeInbox(path: string): InboxFile {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const made = `${path}-new-${randomBytes(6).toString("hex")}`;
  closeSync(openSync(made, "wx", 0o600)); // SQLite would make it with the process's umask
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

/** Moves the file to its path; returns `false` if another process was first. */
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

/** Flushes a folder, so that the name of a new file survives a power cut as its content does. */
function flushFolder(folder: string): void {
  try {
    const descriptor = openSync(folder, "r");
    fsyncSync(descriptor);
    closeSync(descriptor);
  } catch {
    // Some systems cannot open folders. They flush names themselves.
  }
}

/** Removes half-made inboxes, and second links to complete ones, that killed processes left behind. */
function removeLeftBehind(path: string): void {
  const start = `${basename(path)}-new-`;
  for (const name of readdirSync(dirname(path))) {
    const file = join(dirname(path), name);
    const changed = name.startsWith(start) ? statSync(file, { throwIfNoEntry: false })?.mtimeMs : undefined;
    if (changed !== undefined && changed < Date.now() - LEFT_BEHIND) unlinkSync(file);
  }
}
