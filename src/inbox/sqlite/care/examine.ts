import { statSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { loadSqlite, openToRead } from "../client.ts";
import { sizes } from "../file/file-vitals.ts";
import { lockHolders } from "../processes/lock-holders.ts";
import { runElsewhere } from "./check-elsewhere.ts";
import { examineSteps, type FileFacts, isOpen } from "./examine-file.ts";

/** Size in bytes up to which a file is looked at in this process, which takes a fraction of a second. */
export const SMALL = 64 * 1024 * 1024;

/**
 * Looks at an inbox file and changes nothing. A large one is looked at in another process, which is ended after some time:
 * then what was not found out is missing.
 */
export async function examineFile(path: string, now: number, timeout: number): Promise<Partial<FileFacts>> {
  const elsewhere = sizes(path).bytes > SMALL ? await examineElsewhere(path, timeout) : undefined;
  if (elsewhere !== undefined) return elsewhere;
  const wasOpen = isOpen(path);
  const found = examineHere(path, now);
  // A file that was opened meanwhile was not read as it is.
  return !wasOpen && isOpen(path) ? examineHere(path, now) : found;
}

function examineHere(path: string, now: number): Partial<FileFacts> {
  let facts: Partial<FileFacts> = {};
  for (const found of examineSteps(path, now)) facts = { ...facts, ...found };
  return facts;
}

function examineElsewhere(path: string, timeout: number): Promise<Partial<FileFacts> | undefined> {
  return new Promise((resolve) => {
    const end = runElsewhere([path, "examine"], (_, text) => {
      clearTimeout(timer);
      const lines = text.split("\n").slice(0, -1);
      resolve(Object.assign({}, sizes(path), ...lines.map((line) => JSON.parse(line))));
    });
    const timer = setTimeout(() => end?.(true), timeout);
    if (end !== undefined) return;
    clearTimeout(timer);
    resolve(undefined);
  });
}

/** Milliseconds for which a lock must be held to count, and between two looks: a commit holds it for far less. */
const HELD = 1000;
const LOOK = 50;

/** A lock that keeps everything from being written. */
export interface Locked {
  /** The processes that hold it, as far as the system tells. */
  readonly pids: readonly number[];
}

/**
 * Who kept an inbox file locked for a while; `undefined` if something could have been written. Nothing is written: only the
 * lock is taken, for an instant, and by a connection that is never the last one to close.
 */
export async function findLock(path: string): Promise<Locked | undefined> {
  if (!isOpen(path)) return undefined;
  const reader = openToRead(path);
  try {
    reader.exec("SELECT 1 FROM sqlite_schema");
    const writer = new (loadSqlite().DatabaseSync)(path);
    try {
      writer.exec("PRAGMA busy_timeout = 0");
      for (const end = performance.now() + HELD; !canLock(writer); await delay(LOOK)) {
        if (performance.now() > end) return { pids: lockHolders(statSync(`${path}-shm`).ino) };
      }
    } finally {
      writer.close();
    }
  } finally {
    reader.close();
  }
}

function canLock(database: DatabaseSyncInstance): boolean {
  try {
    database.exec("BEGIN IMMEDIATE; ROLLBACK");
    return true;
  } catch {
    return false;
  }
}
