import { chmodSync, existsSync, readdirSync, unlinkSync } from "node:fs";
import { basename, dirname } from "node:path";
import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { HookporterError } from "../../errors.ts";
import { loadSqlite } from "./client.ts";

// Whether a process lives is asked of the operating system: each registered process holds a lock on a file of its own,
// which ends with the process however that ends, and not when it is only stopped. Node has no file locks, but SQLite does,
// and knows how to use them safely within one process. Only `exec` is used here: on Node 20, statements stay open until
// they are collected as garbage, and so would the file.

/** The lock that shows that a registered process lives. */
export class RunnerLock {
  readonly #file: string;
  #database: DatabaseSyncInstance;

  /** Takes the lock; ids are never used again, so nobody else can hold it. */
  constructor(inbox: string, id: string) {
    this.#file = lockFile(inbox, id);
    this.#database = hold(this.#file);
  }

  /** Takes it again if its file was removed: others would take this process for dead. */
  keep(): void {
    if (existsSync(this.#file)) return;
    this.#database.close();
    this.#database = hold(this.#file);
  }

  /** Gives the lock up and removes its file. */
  release(): void {
    remove(this.#file);
    this.#database.close();
  }
}

/** A process that is dead. Nobody else finds it so until it is buried. */
export interface DeadRunner {
  /** Removes its lock's file. */
  bury(): void;
}

/** Whether the registered process of an id is dead; `undefined` if it lives, or that cannot be said. */
export function findDead(inbox: string, id: string): DeadRunner | undefined {
  const file = lockFile(inbox, id);
  if (!existsSync(file)) return { bury: () => {} };
  let database: DatabaseSyncInstance;
  try {
    database = hold(file);
  } catch {
    return undefined;
  }
  return {
    bury: () => {
      remove(file);
      database.close();
    },
  };
}

/** Whether the registered process of an id lives. */
export function isHeld(inbox: string, id: string): boolean {
  const dead = findDead(inbox, id);
  dead?.bury();
  return dead === undefined;
}

/** The ids of all processes that have, or had, a lock beside an inbox. */
export function lockedRunners(inbox: string): readonly string[] {
  const start = basename(lockFile(inbox, ""));
  if (!existsSync(dirname(inbox))) return [];
  return readdirSync(dirname(inbox)).flatMap((name) =>
    name.startsWith(start) && /^[0-9a-f]+$/.test(name.slice(start.length)) ? name.slice(start.length) : [],
  );
}

function lockFile(inbox: string, id: string): string {
  return `${inbox}-holder-${id}`;
}

/** Holds the lock of a file, made where there is none. */
function hold(file: string): DatabaseSyncInstance {
  const { DatabaseSync } = loadSqlite();
  // A file may be taken for that of a dead process between its making and its locking, and be removed.
  for (let tries = 0; tries < 3; tries++) {
    const database = new DatabaseSync(file);
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
    `expected ${file} to stay in place, got it removed each time it was made: let no other program remove it`,
  );
}

function remove(file: string): void {
  try {
    unlinkSync(file);
  } catch {
    // Where an open file cannot be removed, the next process that looks does it.
  }
}
