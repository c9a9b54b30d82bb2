import { existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { HookporterError } from "../../../base/errors.ts";
import { makeFolder } from "../../../base/make-folder.ts";
import { realPath } from "../../../base/system/paths.ts";
import { connectTo, loadSqlite, markAsInbox, openDatabase, openToRead } from "../client.ts";
import { createSchema, MIGRATIONS, migrate, schemaOf } from "../migrations.ts";
import { livingRunners } from "../processes/runner-lock.ts";
import { copyBefore, type Migrated } from "./copy-before.ts";
import { sizes } from "./file-vitals.ts";
import { makeFile, removeLeftovers } from "./new-file.ts";
import { rescuedBeside } from "./rescued-files.ts";

export interface OpenedFile {
  /** With symbolic links resolved: the files beside it are named after this. */
  readonly path: string;
  readonly database: DatabaseSyncInstance;
  readonly isNew: boolean;
  /** Set if it was brought up to date now. */
  readonly migrated?: Migrated;
}

/** Opens an inbox file; see `OpenTerms.access`. Only its owner brings it up to date. */
export function openFile(
  given: string,
  access: "own" | "change" | "read",
  migrations: readonly string[] = MIGRATIONS,
): OpenedFile {
  loadSqlite(); // before any file is made: without SQLite nothing could read it
  const { path, isNew } =
    access === "own"
      ? provideInboxFile(given, migrations)
      : { path: findInboxFile(given), isNew: false };
  const database =
    access === "read" ? openToRead(path, false, migrations) : openDatabase(path, migrations);
  try {
    if (access !== "own") {
      if (schemaOf(database, path, migrations.length) < migrations.length) {
        throw new HookporterError(
          "inbox_older",
          `expected ${path} to be of this version, got one of an older version: ` +
            "start a receiver of this version on it once, then try again",
        );
      }
      return { path, database, isNew };
    }
    let migrated: Migrated | undefined;
    const before = (from: number) => {
      migrated = { from, to: migrations.length, copy: copyBefore(path, from) };
    };
    const refuse = () => {
      // A running process of an older version would go on with the schema that it knows.
      if (livingRunners(path).length === 0) return;
      throw new HookporterError(
        "inbox_busy",
        `expected to migrate ${path}, but a receiver of another version has it open: stop that receiver first`,
      );
    };
    migrate(database, path, { refuse, before }, migrations);
    return { path, database, isNew, ...(migrated && { migrated }) };
  } catch (error) {
    database.close();
    throw error;
  }
}

export function readOnly(path: string): HookporterError {
  return new HookporterError(
    "inbox_unavailable",
    `expected ${path} to be open for writing, but it was opened read-only: open it with the access own or change`,
  );
}

const PAGE = "see docs/recovery.md";

/**
 * The path of an existing inbox file, with symbolic links resolved; throws if there is none, or a
 * part of it is missing.
 */
export function findInboxFile(path: string): string {
  if (!existsSync(path)) {
    refuseParts(path);
    const message = `expected an inbox at ${path}, got no file: check the path, or start a receiver on it first`;
    throw new HookporterError("inbox_unavailable", message);
  }
  const real = realPath(path);
  refuseParts(real);
  return real;
}

/**
 * The inbox file at a path, made if there is none. A new one is made complete under another name
 * and then moved, so a process that is killed meanwhile leaves nothing at the path, and an empty
 * file was never an inbox's beginning.
 *
 * @throws HookporterError `inbox_unavailable` if the file is missing, but its log or a process that
 * uses it is there; if it is empty; or if its log is missing
 */
export function provideInboxFile(
  given: string,
  migrations: readonly string[] = MIGRATIONS,
): Pick<OpenedFile, "path" | "isNew"> {
  const path = existsSync(given) ? realPath(given) : given;
  if (existsSync(dirname(path))) removeLeftovers(path);
  if (!existsSync(path)) refuseParts(path);
  if (existsSync(path)) {
    refuseParts(path);
    return { path, isNew: false };
  }
  makeFolder(dirname(path), 0o700);
  const isNew = makeFile(path, (draft) => makeTables(draft, Date.now(), migrations));
  return { path: realPath(path), isNew };
}

/** Evidence of an earlier inbox at a path: its log, or a process that still has it open. */
function leftOf(path: string): string | undefined {
  if (sizes(path).logBytes > 0) return `its log ${path}-wal`;
  if (livingRunners(path).length > 0) return "a process that has it open";
  return undefined;
}

/**
 * The part that is missing of an inbox; `undefined` if it is whole, or there is none and none is
 * left.
 */
export function missingPart(path: string) {
  const size = statSync(path, { throwIfNoEntry: false })?.size;
  if (size === undefined) return missingFile(path);
  if (size === 0) {
    return {
      expected: `expected an inbox at ${path}, got an empty file`,
      fix: `if there was an inbox, put it back, ${PAGE}; if not, remove the file`,
    };
  }
  if (!isLogLost(path)) return undefined;
  return {
    expected: `expected the log ${path}-wal, which held the latest events, beside ${path}-shm, got none`,
    fix: `put it back, ${PAGE}; or, to go on without them, remove ${path}-shm`,
  };
}

function missingFile(path: string) {
  const left = leftOf(path);
  // another process may have made it meanwhile
  if (left === undefined || existsSync(path)) return undefined;
  const rescued = rescuedBeside(path).at(-1);
  return {
    expected: `expected the inbox file ${path} beside ${left}, got none`,
    fix:
      `put it back, ${PAGE}; ` +
      (rescued === undefined
        ? ""
        : `or, since all of it was rescued, stop all programs that use it, move ${path}-wal away and rename ${rescued} to ${path}; `) +
      "or, to lose the events in the log and start a new one, stop all programs that use it and remove those files",
  };
}

function refuseParts(path: string): void {
  const missing = missingPart(path);
  if (missing === undefined) return;
  const message = `${missing.expected}: ${missing.fix}`;
  throw new HookporterError("inbox_unavailable", message);
}

/**
 * Whether a log was removed by something else than SQLite, which makes the log before its index
 * (-shm), and removes the index first. It does both while this looks.
 */
export function isLogLost(path: string): boolean {
  const index = () => statSync(`${path}-shm`, { throwIfNoEntry: false })?.ino;
  const hasLog = () => existsSync(`${path}-wal`);
  const before = index();
  return before !== undefined && !hasLog() && index() === before && !hasLog();
}

/** Makes an inbox of an empty file. */
export function makeTables(
  draft: string,
  now: number,
  migrations: readonly string[] = MIGRATIONS,
): void {
  const database = connectTo(draft);
  try {
    // No flushes: the whole file is flushed once before it gets its name. In WAL mode already,
    // since a later change of the mode would be flushed several times.
    database.exec("PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY");
    markAsInbox(database);
    createSchema(database, now, migrations);
    database.exec("PRAGMA journal_mode = WAL");
  } finally {
    database.close();
  }
}
