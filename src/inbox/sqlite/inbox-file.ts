import { existsSync, mkdirSync, realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { HookporterError } from "../../errors.ts";
import { loadSqlite, markAsInbox } from "./client.ts";
import { createSchema } from "./migrations.ts";
import { makeFile, removeLeftBehind } from "./new-file.ts";
import { isHeld, lockedRunners } from "./runner-lock.ts";

export interface InboxFile {
  /** With symbolic links resolved: the files beside it are named after this. */
  readonly path: string;
  /** Whether it was just made. */
  readonly isNew: boolean;
}

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
export function leftOf(path: string): string | undefined {
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
  const isNew = makeFile(path, (draft) => {
    const database = new (loadSqlite().DatabaseSync)(draft);
    try {
      markAsInbox(database);
      createSchema(database, Date.now());
    } finally {
      database.close();
    }
  });
  return { path: realpathSync(path), isNew };
}
