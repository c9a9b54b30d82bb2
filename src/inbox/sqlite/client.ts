import { chmodSync } from "node:fs";
import { createRequire } from "node:module";
import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { DatabaseSync, DatabaseSyncInstance } from "@photostructure/sqlite";
import { HookporterError } from "../../errors.ts";

/** Marks the file as an inbox in SQLite's header: "hkpt". */
const APPLICATION_ID = 0x686b7074;

/**
 * How long a write waits for another process's, in milliseconds. The event loop stands still meanwhile, so it is short;
 * after it the sender gets 503 and comes again.
 */
export const BUSY_TIMEOUT = 2000;

/** Bytes that the write-ahead log is cut to once everything in it is in the database. */
export const KEPT_LOG = 16 * 1024 * 1024;

/**
 * Opens an inbox file that exists, durable to the last commit even over a power cut. A file that is not an inbox is left
 * as it was.
 */
export function openDatabase(path: string): DatabaseSyncInstance {
  const database = new (loadSqlite().DatabaseSync)(path);
  try {
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT}`); // first: all that follows may meet another process
    checkOwner(database, path);
    chmodSync(path, 0o600);
    database.exec(
      `PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA journal_size_limit = ${KEPT_LOG}`,
    );
    if (pragma(database, "synchronous") !== 2) {
      throw new HookporterError(
        "inbox_unavailable",
        `expected SQLite to take synchronous = FULL for ${path}, got another mode: use another build of Node`,
      );
    }
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Opens an inbox file to read it. Nothing is written, not even when this is the last program that closes it: the log
 * stays where it is, for whoever writes next.
 */
export function openToRead(path: string): DatabaseSyncInstance {
  const database = new (loadSqlite().DatabaseSync)(path, { readOnly: true });
  try {
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT}`);
    if (pragma(database, "application_id") !== APPLICATION_ID) throw notAnInbox(path);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Marks a file without tables as an inbox. Auto-vacuum only takes effect before the first page: without it, what pruning
 * frees would never leave the file.
 */
export function markAsInbox(database: DatabaseSyncInstance): void {
  database.exec(`PRAGMA auto_vacuum = INCREMENTAL; PRAGMA application_id = ${APPLICATION_ID}`);
}

/**
 * Closes a database so that nothing of this process has it open any more. The client of Node 20 keeps a database open as
 * long as one of its statements is not collected as garbage, so that is done here. It takes a while: for rare cases.
 */
export async function closeWholly(database: { close(): void }): Promise<void> {
  database.close();
  if (ownSqlite() !== undefined) return;
  setFlagsFromString("--expose-gc");
  const collectGarbage: () => void = runInNewContext("gc");
  for (let pass = 0; pass < 2; pass++) {
    collectGarbage();
    await setImmediate(); // what was collected is let go in a later turn
  }
}

/** One value of a PRAGMA. */
export function pragma(database: DatabaseSyncInstance, name: string): unknown {
  const row = database.prepare(`PRAGMA ${name}`).get();
  return row === undefined ? undefined : Object.values(row)[0];
}

function checkOwner(database: DatabaseSyncInstance, path: string): void {
  const owner = pragma(database, "application_id");
  if (owner === APPLICATION_ID) return;
  const tables = database.prepare("SELECT count(*) AS n FROM sqlite_schema").get();
  if (owner !== 0 || tables?.n !== 0) throw notAnInbox(path);
  markAsInbox(database);
}

function notAnInbox(path: string): HookporterError {
  return new HookporterError(
    "inbox_corrupt",
    `expected ${path} to be an inbox, got another SQLite file: choose another path`,
  );
}

/**
 * SQLite behind the `node:sqlite` API: Node's own where it has it (22.13 and newer), a package with the same API on
 * Node 20. The only place that chooses.
 */
export function loadSqlite(): { DatabaseSync: typeof DatabaseSync } {
  return (ownSqlite() ?? createRequire(import.meta.url)("@photostructure/sqlite")) as {
    DatabaseSync: typeof DatabaseSync;
  };
}

function ownSqlite(): unknown {
  return withoutExperimentalWarning(() => process.getBuiltinModule?.("node:sqlite" as "node:fs") as unknown);
}

/** Node 22 announces its SQLite as experimental on standard error each time; the API used here is settled. */
function withoutExperimentalWarning<Result>(load: () => Result): Result {
  const emitWarning = process.emitWarning;
  process.emitWarning = () => {};
  try {
    return load();
  } finally {
    process.emitWarning = emitWarning;
  }
}
