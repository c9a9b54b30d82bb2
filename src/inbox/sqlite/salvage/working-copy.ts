import {
  closeSync,
  copyFileSync,
  existsSync,
  ftruncateSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { orElse } from "../../../base/or-else.ts";
import { describeError, HookporterError } from "../../../errors.ts";
import { loadSqlite } from "../client.ts";
import { makeTables } from "../file/inbox-file.ts";
import { SCHEMA_VERSION } from "../migrations.ts";

// The damaged file itself is only read, and only while no process has it open. Everything else is done with a copy.

/** Bytes per page of an inbox file. */
const PAGE = 4096;

/**
 * Copies an inbox file and its log to a folder for temporary files, and opens the copy. A file that was cut short is
 * filled up with empty pages. If the first page, or another one with the addresses of tables, cannot be read, the same
 * pages of a new inbox replace them: tables have the same addresses in all inboxes of a version. Returns the database,
 * and what was put right in the copy, in words.
 *
 * @throws HookporterError `inbox_corrupt` if nothing of it can be read as an inbox
 */
export function openWorkingCopy(path: string) {
  const folder = mkdtempSync(join(tmpdir(), "hookporter-salvage-"));
  const copy = join(folder, "copy.db");
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  try {
    copyFileSync(path, copy);
    if (existsSync(`${path}-wal`)) copyFileSync(`${path}-wal`, `${copy}-wal`);
    const repairs = fillUp(copy) ? ["the file was cut short"] : [];
    const whole = tryToOpen(copy);
    if (whole === undefined) repairs.push("its list of tables could not be read");
    const database = whole ?? openWithNewPages(copy, path, folder);
    const close = () => {
      database.close();
      removeFolder();
    };
    return { database, repairs, close };
  } catch (cause) {
    removeFolder();
    const got = JSON.stringify(describeError(cause));
    const message = `expected something of ${path} to be readable, got ${got}: restore a backup, see docs/recovery.md`;
    throw new HookporterError("inbox_corrupt", message, { cause });
  }
}

/** Fills a file up with zeros to the size that its header has, and to whole pages. Returns whether it was too short. */
function fillUp(copy: string): boolean {
  const { size } = statSync(copy);
  const header = Buffer.alloc(100);
  const file = openSync(copy, "r+");
  try {
    readSync(file, header, 0, 100, 0);
    const isHeader =
      header.toString("latin1", 0, 15) === "SQLite format 3" && header.readUInt16BE(16) === PAGE;
    const pages = isHeader ? header.readUInt32BE(28) : 0;
    const whole = Math.max(Math.ceil(size / PAGE), pages, 1) * PAGE;
    if (whole === size) return false;
    ftruncateSync(file, whole);
    return true;
  } finally {
    closeSync(file);
  }
}

function tryToOpen(copy: string): DatabaseSyncInstance | undefined {
  const database = new (loadSqlite().DatabaseSync)(copy, { readOnly: true });
  try {
    const sql = "SELECT count(*) AS n FROM sqlite_schema WHERE name IN ('migration', 'entry', 'delivery')";
    if (database.prepare(sql).get()?.n === 3) return database;
  } catch {
    // Its first page is damaged.
  }
  database.close();
  return undefined;
}

/** The copy with a new first page, or all of a new list of tables: of its own version if that can be read, else of the newest that fits. */
function openWithNewPages(copy: string, path: string, folder: string): DatabaseSyncInstance {
  for (let version = SCHEMA_VERSION; version > 0; version--) {
    const list = listOfTables(version, folder, statSync(copy).size / PAGE);
    for (const pages of [list.slice(0, 1), list]) {
      const former = exchange(copy, pages);
      const database = tryToOpen(copy);
      if (database !== undefined) {
        const own = versionIn(database) ?? (pages !== list || holdsAny(database) ? version : undefined);
        if (own === version) return database;
        database.close();
      }
      exchange(copy, former);
    }
  }
  throw new Error(`nothing in ${path} can be read as an inbox`);
}

function versionIn(database: DatabaseSyncInstance): number | undefined {
  return orElse(() => {
    const version = Number(database.prepare("SELECT max(version) AS v FROM migration").get()?.v);
    return version > 0 ? version : undefined;
  }, undefined);
}

/** Whether the addresses of a new list of tables lead to anything. */
function holdsAny(database: DatabaseSyncInstance): boolean {
  return ["entry", "delivery"].some((table) =>
    orElse(() => database.prepare(`SELECT 1 FROM ${table}`).get() !== undefined, false),
  );
}

/** The number of a page, and its bytes. */
type Page = readonly [number: number, bytes: Buffer];

/** The first page of a new inbox, for a file of some pages, and the pages below it: together they have the tables' addresses. */
function listOfTables(version: number, folder: string, pages: number): readonly Page[] {
  const path = join(folder, `new-${version}.db`);
  makeTables(path, 0, version);
  const made = readFileSync(path);
  const first = made.subarray(0, PAGE);
  const isLeaf = first[100] === 13;
  const cells = isLeaf ? 0 : first.readUInt16BE(103);
  const below = Array.from({ length: cells }, (_, at) =>
    first.readUInt32BE(first.readUInt16BE(112 + 2 * at)),
  );
  if (!isLeaf) below.push(first.readUInt32BE(108));
  first.writeUInt32BE(pages, 28);
  first.writeUInt32BE(0, 32); // no free pages are known
  first.writeUInt32BE(0, 36);
  const inside = [1, ...below].filter((page) => page <= pages);
  return inside.map((page) => [page, made.subarray((page - 1) * PAGE, page * PAGE)]);
}

/** Puts pages in the place of those of a file, and returns those. */
function exchange(copy: string, pages: readonly Page[]): readonly Page[] {
  const file = openSync(copy, "r+");
  try {
    return pages.map(([page, bytes]) => {
      const former = Buffer.alloc(PAGE);
      readSync(file, former, 0, PAGE, (page - 1) * PAGE);
      writeSync(file, bytes, 0, PAGE, (page - 1) * PAGE);
      return [page, former];
    });
  } finally {
    closeSync(file);
  }
}
