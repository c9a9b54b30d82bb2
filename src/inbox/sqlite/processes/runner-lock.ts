import { chmodSync, existsSync, readdirSync, unlinkSync } from "node:fs";
import { basename, dirname } from "node:path";
import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { HookporterError } from "../../../base/errors.ts";
import { tryOr } from "../../../base/try-or.ts";
import { connectTo } from "../client.ts";

// The operating system knows whether a process lives: each registered process holds a lock on a
// file, and the lock ends when the process ends, in whatever way, but not while it is only
// suspended. Node has no file locks, but SQLite does, and uses them safely within one process. Only
// `exec` is used here: on Node 20 statements, and with them the file, stay open until they are
// garbage-collected.

/** Takes the lock that shows that this process lives. */
export function runnerLock(inbox: string, id: string) {
  const file = lockFile(inbox, id);
  // Ids are never reused, so no other process can hold it.
  let database = holdFile(file);
  return {
    /**
     * Takes the lock again if its file was removed, since others would take this process for dead.
     */
    keep: (): void => {
      if (existsSync(file)) return;
      database.close();
      database = holdFile(file);
    },
    release: () => closeAndRemove(file, database),
  };
}

/**
 * The registered process with an id if it is dead; `undefined` if it lives or that is unknown. No
 * other process finds it dead until it is cleaned up.
 */
export function findDead(inbox: string, id: string) {
  const file = lockFile(inbox, id);
  if (!existsSync(file)) return { cleanUp: () => {} };
  const database = tryOr(() => holdFile(file), undefined);
  return database && { cleanUp: () => closeAndRemove(file, database) };
}

/**
 * Whether a registered process lives, without taking its lock: a reader is kept out for as long as
 * that is held.
 */
export function isHeld(inbox: string, id: string): boolean {
  const file = lockFile(inbox, id);
  if (!existsSync(file)) return false;
  const database = connectTo(file, true);
  try {
    database.exec("PRAGMA busy_timeout = 0; PRAGMA schema_version");
    return false;
  } catch {
    return true;
  } finally {
    database.close();
  }
}

export function livingRunners(inbox: string): readonly string[] {
  return lockedRunners(inbox).filter((id) => isHeld(inbox, id));
}

/** The ids of all processes that have a lock file beside an inbox. */
export function lockedRunners(inbox: string): readonly string[] {
  const start = basename(lockFile(inbox, ""));
  if (!existsSync(dirname(inbox))) return [];
  // a pipe of that name would block who opens it
  return readdirSync(dirname(inbox), { withFileTypes: true }).flatMap((found) => {
    const id = found.isFile() && found.name.startsWith(start) ? found.name.slice(start.length) : "";
    return /^[0-9a-f]+$/.test(id) ? id : [];
  });
}

export function lockFile(inbox: string, id: string): string {
  return `${inbox}-holder-${id}`;
}

/** Opens a file and locks it until it is closed, or this process ends. */
export function holdFile(file: string): DatabaseSyncInstance {
  // Before it is locked, another process may take the new file for that of a dead process and
  // remove it.
  for (let tries = 0; tries < 3; tries++) {
    const database = connectTo(file);
    try {
      database.exec("PRAGMA busy_timeout = 0; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
      if (existsSync(file)) {
        chmodSync(file, 0o600);
        return database;
      }
    } catch (thrown) {
      database.close();
      throw thrown;
    }
    database.close();
  }
  throw new HookporterError(
    "inbox_unavailable",
    `expected ${file} to stay in place, but it was removed each of the 3 times that it was made: let no other program remove it`,
  );
}

/**
 * Removes the file while it is locked, so that no process finds it unlocked; on Windows it must be
 * closed before.
 */
function closeAndRemove(file: string, database: DatabaseSyncInstance): void {
  for (const close of [() => database.close(), () => {}]) {
    try {
      unlinkSync(file);
    } catch {
      // It is open, or gone. If another process has it open, that one removes it, or the next one
      // that looks.
    }
    close();
  }
}
