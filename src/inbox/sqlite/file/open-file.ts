import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { HookporterError } from "../../../errors.ts";
import { loadSqlite, openDatabase, openToRead } from "../client.ts";
import { migrate, SCHEMA_VERSION, schemaOf } from "../migrations.ts";
import { livingRunners } from "../processes/runner-lock.ts";
import { findInboxFile, provideInboxFile } from "./inbox-file.ts";

export interface OpenedFile {
  /** With symbolic links resolved. */
  readonly path: string;
  readonly database: DatabaseSyncInstance;
  /** Whether it was just made. */
  readonly isNew: boolean;
}

/**
 * Opens an inbox file; see `OpenTerms.access`.
 *
 * @throws HookporterError `inbox_client_missing`, `inbox_newer`, `inbox_older`, `inbox_busy`, `inbox_unavailable`, `inbox_corrupt`
 */
export function openFile(given: string, access: "own" | "change" | "read"): OpenedFile {
  loadSqlite(); // before any file is made: without SQLite nothing could read it
  const { path, isNew } =
    access === "own" ? provideInboxFile(given) : { path: findInboxFile(given), isNew: false };
  const database = access === "read" ? openToRead(path) : openDatabase(path);
  try {
    if (access === "own") migrate(database, path, Date.now(), () => refuseWhileInUse(path));
    else if (schemaOf(database, path) < SCHEMA_VERSION && access === "change") throw isOlder(path);
    return { path, database, isNew };
  } catch (error) {
    database.close();
    throw error;
  }
}

/** The error of a write to a read-only inbox. */
export function readOnly(path: string): HookporterError {
  return new HookporterError(
    "inbox_unavailable",
    `expected ${path} to be open for writing, but it was opened read-only: open it with the access own or change`,
  );
}

/** A running process of an older version would go on with the schema that it knows. */
function refuseWhileInUse(path: string): void {
  if (livingRunners(path).length === 0) return;
  throw new HookporterError(
    "inbox_busy",
    `expected to migrate ${path}, but a receiver of another version has it open: stop that receiver first`,
  );
}

function isOlder(path: string): HookporterError {
  return new HookporterError(
    "inbox_older",
    `expected ${path} to be of this version, got one of an older version: ` +
      "start a receiver of this version on it once, then try again",
  );
}
