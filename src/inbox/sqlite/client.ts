import { chmodSync, closeSync, mkdirSync, openSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import type { DatabaseSync, DatabaseSyncInstance } from "@photostructure/sqlite";
import { HookporterError } from "../../errors.ts";

/** Marks the file as an inbox in SQLite's header: "hkpt". */
const APPLICATION_ID = 0x686b7074;

/**
 * How long a write waits for another process's, in milliseconds. The event loop stands still meanwhile, so it is short;
 * after it the sender gets 503 and comes again.
 */
const BUSY_TIMEOUT = 2000;

/**
 * Opens an inbox file, creating it for its owner alone (0600), durable to the last commit even over a power cut. A file
 * that is not an inbox, or is refused by `prepare`, is left as it was.
 */
export function openDatabase(
  path: string,
  prepare: (database: DatabaseSyncInstance) => void,
): DatabaseSyncInstance {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, "a", 0o600)); // before SQLite does, since it would use the process's umask
  const { DatabaseSync } = loadSqlite();
  const database = new DatabaseSync(path);
  try {
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT}`); // first: all that follows may meet another process
    checkOwner(database, path);
    chmodSync(path, 0o600);
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
    if (pragma(database, "synchronous") !== 2) {
      throw new HookporterError("inbox_unavailable", `${path}: SQLite did not accept synchronous = FULL`);
    }
    prepare(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
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
  if (owner !== 0 || tables?.n !== 0) {
    throw new HookporterError(
      "inbox_corrupt",
      `${path} is a SQLite file, but not an inbox: choose another path`,
    );
  }
  // Auto-vacuum only takes effect before the first page: without it what pruning frees would never leave the file.
  database.exec(`PRAGMA auto_vacuum = INCREMENTAL; PRAGMA application_id = ${APPLICATION_ID}`);
}

/**
 * SQLite behind the `node:sqlite` API: Node's own where it has it (22.13 and newer), a package with the same API on
 * Node 20. The only place that chooses.
 */
export function loadSqlite(): { DatabaseSync: typeof DatabaseSync } {
  const own = withoutExperimentalWarning(
    () => process.getBuiltinModule?.("node:sqlite" as "node:fs") as unknown,
  );
  return (own ?? createRequire(import.meta.url)("@photostructure/sqlite")) as {
    DatabaseSync: typeof DatabaseSync;
  };
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
