import {
  copyFileSync,
  existsSync,
  ftruncateSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { describeError, HookporterError } from "../../../base/errors.ts";
import { counted } from "../../../base/text/counted.ts";
import { tryOr } from "../../../base/try-or.ts";
import { connectTo, refuseForeignTables } from "../client.ts";
import { makeTables } from "../file/inbox-file.ts";
import { MIGRATIONS, SCHEMA_VERSION } from "../migrations.ts";
import { closing } from "../statements.ts";
import { childrenIn, treeMender } from "./mend-trees.ts";
import { PAGE, readPage, withFile, writePage } from "./pages.ts";

// The damaged file itself is only read, and only while no process has it open. Everything else is
// done with a copy.

/** The tables that are read, and what their rows are called. */
const TABLES = { entry: "entries", delivery: "deliveries", attempt: "attempts" };

/**
 * Copies an inbox file and its log to a folder for temporary files, and opens the copy. A file that
 * was cut short is filled up with empty pages. If the first page, or another one with the addresses
 * of tables, cannot be read, the same pages of a new inbox replace them: tables have the same
 * addresses in all inboxes of a version. Pages that only lead to rows are rebuilt. Returns the
 * database, the highest number of an entry or delivery, and a list of the repairs.
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
    const found = whole ?? openWithNewPages(copy, path, folder);
    const roots = rootsOf(found);
    found.close();
    tryOr(() => moveLogInto(copy), undefined);
    const trees = withFile(copy, (file) => {
      const mend = treeMender(file, statSync(copy).size / PAGE);
      return roots.map(({ rows, root }) => ({ rows, ...mend(root) }));
    });
    for (const { rows, rebuilt } of trees) {
      const pages = counted(rebuilt, "page that leads", "pages that lead");
      if (rebuilt > 0) repairs.push(`${pages} to its ${rows} could not be read`);
    }
    const database = connectTo(copy, true);
    const close = () => {
      database.close();
      removeFolder();
    };
    // those have numbers of their own
    const last = Math.max(...trees.map(({ rows, last }) => (rows === TABLES.attempt ? 0 : last)));
    return { database, repairs, last: Math.min(last, Number.MAX_SAFE_INTEGER), close };
  } catch (cause) {
    removeFolder();
    const got = JSON.stringify(describeError(cause));
    const message = `expected something of ${path} to be readable, got ${got}: restore a backup, see docs/recovery.md`;
    throw new HookporterError("inbox_corrupt", message, { cause });
  }
}

/**
 * How many times larger than a file its header can say that it was: beyond that, the header is
 * damaged.
 */
const MOST_LOST = 1000;

/**
 * Fills a file up with zeros to the size that its header has, and to whole pages. Returns whether
 * it was too short.
 */
function fillUp(copy: string): boolean {
  const { size } = statSync(copy);
  return withFile(copy, (file) => {
    const header = readPage(file, 1);
    const isHeader =
      header.toString("latin1", 0, 15) === "SQLite format 3" && header.readUInt16BE(16) === PAGE;
    const held = Math.ceil(size / PAGE);
    const pages = isHeader ? header.readUInt32BE(28) : 0;
    const whole = Math.max(held, pages > MOST_LOST * held ? 0 : pages, 1) * PAGE;
    if (whole !== size) ftruncateSync(file, whole);
    return whole !== size;
  });
}

function tryToOpen(copy: string): DatabaseSyncInstance | undefined {
  const database = connectTo(copy, true);
  try {
    // Those of a new inbox replace them. The page with the version may be damaged.
    const version = () => versionIn(database) ?? SCHEMA_VERSION;
    refuseForeignTables(database, copy, MIGRATIONS, version);
    const sql =
      "SELECT count(*) AS n FROM sqlite_schema WHERE name IN ('migration', 'entry', 'delivery')";
    if (database.prepare(sql).get()?.n === 3) return database;
  } catch {
    // Its first page is damaged.
  }
  database.close();
  return undefined;
}

/** The copy with a new first page, or all of a new list of tables. */
function openWithNewPages(copy: string, path: string, folder: string): DatabaseSyncInstance {
  const list = listOfTables(folder, statSync(copy).size / PAGE);
  for (const pages of [list.slice(0, 1), list]) {
    const former = exchange(copy, pages);
    const database = tryToOpen(copy);
    if (database !== undefined) {
      const version = versionIn(database);
      const fits =
        version === undefined
          ? pages.length < list.length || holdsAny(database)
          : version === SCHEMA_VERSION;
      if (fits) return database;
      database.close();
    }
    exchange(copy, former);
  }
  throw new Error(`nothing in ${path} can be read as an inbox`);
}

/** The first page of each table that is known. */
function rootsOf(database: DatabaseSyncInstance) {
  const rootOf = database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?");
  return Object.entries(TABLES).flatMap(([table, rows]) => {
    const root = Number(rootOf.get(table)?.rootpage ?? 0);
    return root > 0 ? [{ rows, root }] : [];
  });
}

/** Brings the copy's file up to date with its log, if that can be read. */
function moveLogInto(copy: string): void {
  closing(connectTo(copy), (statements) => statements.exec("PRAGMA wal_checkpoint(TRUNCATE)"));
}

function versionIn(database: DatabaseSyncInstance): number | undefined {
  return tryOr(() => {
    const version = Number(database.prepare("SELECT max(version) AS v FROM migration").get()?.v);
    return version > 0 ? version : undefined;
  }, undefined);
}

/** Whether the addresses of a new list of tables lead to anything. */
function holdsAny(database: DatabaseSyncInstance): boolean {
  return ["entry", "delivery"].some((table) =>
    tryOr(() => database.prepare(`SELECT 1 FROM ${table}`).get() !== undefined, false),
  );
}

/** The number of a page, and its bytes. */
type Page = readonly [number: number, bytes: Buffer];

/**
 * The first page of a new inbox, for a file of some pages, and the pages below it: together they
 * have the tables' addresses.
 */
function listOfTables(folder: string, pages: number): readonly Page[] {
  const path = join(folder, "new.db");
  makeTables(path, 0);
  const made = readFileSync(path);
  const first = made.subarray(0, PAGE);
  const below = childrenIn(first, made.length / PAGE, 100) ?? [];
  first.writeUInt32BE(pages, 28);
  first.writeUInt32BE(0, 32); // no free pages are known
  first.writeUInt32BE(0, 36);
  const inside = [1, ...below].filter((page) => page <= pages);
  return inside.map((page) => [page, made.subarray((page - 1) * PAGE, page * PAGE)]);
}

/** Puts pages in the place of those of a file, and returns those. */
function exchange(copy: string, pages: readonly Page[]): readonly Page[] {
  return withFile(copy, (file) =>
    pages.map(([page, bytes]) => {
      const former = readPage(file, page);
      writePage(file, page, bytes);
      return [page, former];
    }),
  );
}
