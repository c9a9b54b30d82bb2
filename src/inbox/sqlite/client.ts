import { chmodSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { DatabaseSync, DatabaseSyncInstance } from "@photostructure/sqlite";
import { ConfigurationError, describeError, HookporterError } from "../../base/errors.ts";
import { missingPackage } from "../../base/package/missing-package.ts";
import { findPackage, requirePackage } from "../../base/package/own-address.ts";
import { MIGRATIONS, schemaOf } from "./migrations.ts";
import { refuseForeign } from "./own-schema.ts";

/** Marks a file as an inbox in SQLite's header: "hkpt". */
const APPLICATION_ID = 0x686b7074;

/**
 * Milliseconds that a write waits for another process; short, since the event loop is blocked. Then
 * the answer is 503.
 */
export const BUSY_TIMEOUT = 2000;

/** Size in bytes to which the write-ahead log is truncated after a checkpoint. */
export const KEPT_LOG = 16 * 1024 * 1024;

/** Bytes of a statement, and of a definition in a file; SQLite's own limit is 1 GB. */
const LONGEST_SQL = 1_000_000;

/** SQLite for Node 20. It contains native code, so it cannot be bundled. */
const PACKAGE = "@photostructure/sqlite";

/**
 * Opens any file as data that someone else may have made: the only place that opens one. Clients
 * that do not know the options for it ignore them; the check of the schema does not rely on them.
 */
export function connectTo(path: string | URL, readOnly = false): DatabaseSyncInstance {
  const database = new (loadSqlite().DatabaseSync)(path, {
    readOnly,
    defensive: true,
    limits: { sqlLength: LONGEST_SQL },
    enableForeignKeyConstraints: false, // the inbox has none, and those of others act on its rows
  });
  database.exec("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON");
  return database;
}

/**
 * Opens an existing inbox file; every commit survives a power cut. Does not change a file that is
 * not an inbox.
 */
export function openDatabase(path: string, migrations = MIGRATIONS): DatabaseSyncInstance {
  return checked(path, connectTo(path), migrations, (database) => {
    chmodSync(path, 0o600);
    database.exec(
      // Overwriting what is deleted within a page costs nothing; pages that become free are given
      // back. On macOS, a plain fsync leaves writes in the disk's cache; the other systems have no
      // other.
      `PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA journal_size_limit = ${KEPT_LOG}; PRAGMA secure_delete = FAST;
       PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON`,
    );
    if (pragma(database, "synchronous") !== 2) {
      throw new HookporterError(
        "inbox_unavailable",
        `expected SQLite to take synchronous = FULL for ${path}, got another mode: use another build of Node`,
      );
    }
  });
}

/**
 * Opens an inbox file read-only. Nothing is written, not even when the last connection closes: the
 * log stays, for the next writer. An empty log that SQLite makes stays too: only a connection that
 * may write could remove it, and such a one would also move a log that was written meanwhile into
 * the file.
 *
 * @param immutable - reads the file alone, without locks, and makes no log
 */
export function openToRead(
  path: string,
  immutable = false,
  migrations = MIGRATIONS,
): DatabaseSyncInstance {
  return checked(path, connectToRead(path, immutable), migrations);
}

function connectToRead(path: string, immutable: boolean): DatabaseSyncInstance {
  const address = immutable ? Object.assign(pathToFileURL(path), { search: "immutable=1" }) : path;
  return connectTo(address, true);
}

/** Opens an inbox file as it is, to write to it. */
export function openToChange(path: string): DatabaseSyncInstance {
  return checked(path, connectTo(path), MIGRATIONS);
}

/** Whether a file is marked as an inbox; its tables are not looked at. See {@link openToRead}. */
export function isInboxFile(path: string, immutable: boolean): boolean {
  const database = connectToRead(path, immutable);
  try {
    return pragma(database, "application_id") === APPLICATION_ID;
  } finally {
    database.close();
  }
}

/** A database, if it is an inbox; closed if it is none, or cannot be prepared. */
function checked(
  path: string,
  database: DatabaseSyncInstance,
  migrations: readonly string[],
  prepare?: (database: DatabaseSyncInstance) => void,
) {
  try {
    // first: each of the next steps may meet a lock
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT}`);
    if (pragma(database, "application_id") !== APPLICATION_ID) {
      throw new HookporterError(
        "inbox_corrupt",
        `expected ${path} to be an inbox, got another SQLite database: choose another path, or, if this was an inbox, see docs/recovery.md`,
      );
    }
    refuseForeignTables(database, path, migrations);
    prepare?.(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** See {@link refuseForeign}. */
export function refuseForeignTables(
  database: DatabaseSyncInstance,
  path: string,
  migrations = MIGRATIONS,
  versionOf = schemaOf,
): void {
  refuseForeign(database, path, migrations, () => connectTo(":memory:"), versionOf);
}

/**
 * Marks a file without tables as an inbox. Auto-vacuum must be set before the first page is
 * written; without it the file would never shrink after pruning.
 */
export function markAsInbox(database: DatabaseSyncInstance): void {
  database.exec(`PRAGMA auto_vacuum = INCREMENTAL; PRAGMA application_id = ${APPLICATION_ID}`);
}

/**
 * Closes a database and makes sure that this process no longer has its file open. On Node 20 the
 * client keeps a database open until all of its statements are garbage-collected, so this collects
 * garbage. Slow: for rare cases only.
 */
export async function closeWholly(database: { close(): void }): Promise<void> {
  database.close();
  if (ownSqlite() !== undefined) return;
  setFlagsFromString("--expose-gc");
  const collectGarbage: () => void = runInNewContext("gc");
  for (let pass = 0; pass < 2; pass++) {
    collectGarbage();
    await setImmediate(); // finalizers run in a later turn
  }
}

export function pragma(database: DatabaseSyncInstance, name: string): unknown {
  return Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0];
}

/**
 * SQLite with the API of `node:sqlite`: Node's own from 22.13, a package with the same API on Node
 * 20. This is the only place that chooses.
 *
 * @throws ConfigurationError `inbox_client_missing` if Node is older and the package is not
 * installed
 */
export function loadSqlite(): { DatabaseSync: typeof DatabaseSync } {
  return (ownSqlite() ?? installedSqlite()) as { DatabaseSync: typeof DatabaseSync };
}

/**
 * The SQLite that keeps inbox files.
 *
 * @throws ConfigurationError `inbox_client_missing` if there is none
 */
export function sqliteInUse(): { readonly from: string; readonly version: string } {
  const database = new (loadSqlite().DatabaseSync)(":memory:");
  try {
    const row = database.prepare("SELECT sqlite_version() AS version").get();
    return {
      from: ownSqlite() === undefined ? PACKAGE : "node:sqlite",
      version: String(row?.version),
    };
  } finally {
    database.close();
  }
}

function installedSqlite(): unknown {
  const path = findPackage(PACKAGE);
  if (path === undefined) {
    const is = "the SQLite of Node 20";
    const message = missingPackage({ name: PACKAGE, is, instead: "use Node 22.13 or newer" });
    throw new ConfigurationError("inbox_client_missing", message);
  }
  try {
    return requirePackage(path);
  } catch (cause) {
    throw new HookporterError(
      "inbox_unavailable",
      `expected ${PACKAGE} to load, got ${JSON.stringify(describeError(cause).split("\n")[0])}: use Node 22.13 or newer`,
      { cause },
    );
  }
}

function ownSqlite(): unknown {
  const { emitWarning } = process;
  // Node 22 warns on standard error that its SQLite is experimental; the API used here is stable.
  process.emitWarning = () => {};
  try {
    return process.getBuiltinModule?.("node:sqlite" as "node:fs");
  } finally {
    process.emitWarning = emitWarning;
  }
}
