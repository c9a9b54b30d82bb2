import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { AttemptRecord } from "../../../src/inbox/attempt-record.ts";
import { loadSqlite, markAsInbox } from "../../../src/inbox/sqlite/client.ts";
import { COPIED } from "../../../src/inbox/sqlite/file/copy-before.ts";
import { openFile } from "../../../src/inbox/sqlite/file/inbox-file.ts";
import { createSchema } from "../../../src/inbox/sqlite/migrations.ts";
import { sqliteInbox } from "../../../src/inbox/sqlite.ts";
import { keptLog } from "../../receiver/sample.ts";
import { AT, claimOne, keep, numberedEntry, sampleEntry, settlementOf } from "../entries.ts";
import { TO_SCHEMA_2 } from "./schema-2.ts";

const RECORD: AttemptRecord = {
  ...{
    attempt: 1,
    handler: "a",
    startedAt: AT,
    duration: 1,
    outcome: "ok",
    error: null,
    failure: null,
    note: null,
  },
};

let path: string;

beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), "hookporter-schema-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  path = join(folder, "inbox.sqlite");
});

/** Runs work with a database, and closes it. */
function withDatabase<Result>(at: string, work: (database: DatabaseSyncInstance) => Result): Result {
  const database = new (loadSqlite().DatabaseSync)(at);
  try {
    return work(database);
  } finally {
    database.close();
  }
}

describe("before a file gets newer tables", () => {
  const older = (pages: number) =>
    withDatabase(path, (database) => {
      markAsInbox(database);
      createSchema(database, AT, 3);
      database.exec(`INSERT INTO pruned_source VALUES ('before', 1);
        CREATE TABLE filler (bytes BLOB); INSERT INTO filler VALUES (zeroblob(${4096 * pages}))`);
    });
  const versionOf = (at: string) =>
    withDatabase(at, (database) => database.prepare("SELECT max(version) AS v FROM migration").get()?.v);
  const openWithLog = async () => {
    const { log, lines } = keptLog();
    const inbox = sqliteInbox(path);
    await inbox.open({ log });
    onTestFinished(() => inbox.close());
    return lines;
  };

  it("a copy to go back to is made, once, and the log says so in one line", async () => {
    older(1);
    const copy = `${path}.schema-3`;
    const lines = await openWithLog();
    expect(lines).toMatchObject([
      {
        level: "warn",
        message: expect.stringContaining("to go back, stop this version and put the copy in its place"),
        fields: { inbox: path, from: 3, schema: 4, copy },
      },
    ]);
    expect([versionOf(copy), versionOf(path)]).toEqual([3, 4]);
    const source = withDatabase(copy, (one) => one.prepare("SELECT source FROM pruned_source").get()?.source);
    expect(source).toBe("before");
    const made = statSync(copy).mtimeMs;
    await openWithLog();
    expect(statSync(copy).mtimeMs).toBe(made);
  });

  it("a large file is not copied, and the log says so", async () => {
    older(COPIED / 4096 + 1);
    expect((await openWithLog())[0]?.message).toContain("no copy was made");
    expect(existsSync(`${path}.schema-3`)).toBe(false);
    expect(versionOf(path)).toBe(4);
  });

  it("a disk without room for a copy does not keep a receiver from starting", async () => {
    older(1);
    mkdirSync(`${path}.schema-3`); // where no file can be made
    expect((await openWithLog())[0]?.message).toContain("no copy was made");
    expect(versionOf(path)).toBe(4);
  });
});

it("a file without notes is migrated with all its content", async () => {
  const before = sqliteInbox(path);
  await before.open();
  await keep(before, sampleEntry());
  await before.settle(settlementOf(await claimOne(before), { records: [RECORD] }), AT);
  const entries = await before.list({});
  await before.close();

  withDatabase(path, (database) =>
    database.exec(
      `${TO_SCHEMA_2}; ALTER TABLE attempt DROP COLUMN note; DELETE FROM migration WHERE version > 1`,
    ),
  );

  const after = sqliteInbox(path);
  await after.open();
  onTestFinished(() => after.close());
  expect(await after.list({})).toEqual(entries);
  expect(await after.attempts(1)).toEqual([RECORD]);
  const { seq } = await keep(after, numberedEntry(2));
  const failure = { name: "TypeError", at: "src/handlers.ts:3:7", stack: "TypeError: no" };
  const noted: AttemptRecord = { ...RECORD, note: "200 OK", outcome: "error", error: "no", failure };
  await after.settle(settlementOf(await claimOne(after), { records: [noted] }), AT);
  expect(await after.attempts(seq)).toEqual([noted]);
});

const PAGE = 4096;
/** SQLite moves the content of the first pages to make room for the new tables' roots. */
const MOVED = 20 * PAGE;
/** The first byte of a page that has rows of a table. */
const LEAF_OF_TABLE = 0x0d;

/** What rows have that the migration reads, and that it must not read. */
const WAITING = "waits for a claim";
const ENDED = "ended long ago";

/** Entries before and after those that wait: enough to fill pages that hold nothing else. */
const DONE = 1000;

/** A file of schema 2, with entries that wait in the middle. */
function makeSchema2(): void {
  withDatabase(path, (database) => {
    markAsInbox(database);
    createSchema(database, AT, 2);
    const numbers = `WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ${3 * DONE})`;
    const isDone = `n NOT BETWEEN ${DONE + 1} AND ${2 * DONE}`;
    database.exec(`
      INSERT INTO entry (seq, key_timestamp, event_id, source, state, held_back, received_at, run_at, last_seen_at,
          attempts, body_hash, body_length)
        ${numbers} SELECT n, ${AT}, 'evt_' || n, iif(n % 3 = 0, 'crm', 'service'),
          CASE WHEN ${isDone} THEN 'done' WHEN n % 5 = 0 THEN 'running' ELSE 'pending' END,
          n % 7 = 0, ${AT}, ${AT} - n % 11, ${AT}, 1, iif(${isDone}, '${ENDED}', '${WAITING}'), 0 FROM number;
      INSERT INTO attempt
        ${numbers} SELECT n, 1, '${ENDED}', ${AT}, 1.5, 'ok', NULL, NULL FROM number;`);
  });
}

const schemaOf = (at: string) =>
  withDatabase(at, (database) =>
    database.prepare("SELECT type, name, tbl_name, rootpage, sql FROM sqlite_schema ORDER BY name").all(),
  );

describe("the migration of a file with rows", () => {
  beforeEach(makeSchema2);

  it("leaves the schema of a new file, letter for letter and address for address, and indexes that are right", () => {
    const fresh = `${path}-fresh`;
    for (const at of [path, fresh]) {
      const { database } = openFile(at, "own");
      expect(() => database.exec("UPDATE sqlite_schema SET sql = ''")).toThrow("may not be modified");
      database.close();
    }
    expect(schemaOf(path)).toEqual(schemaOf(fresh));
    withDatabase(path, (database) => {
      expect(database.prepare("PRAGMA integrity_check").all()).toEqual([{ integrity_check: "ok" }]);
      const waiting = database
        .prepare(
          "SELECT count(*) AS n FROM entry INDEXED BY entry_queue WHERE state IN ('pending', 'running') AND held_back = 0",
        )
        .get();
      expect(waiting?.n).toBeGreaterThan(DONE / 2);
    });
  });

  it("reads no row but those that wait, so it takes no longer in a large file", () => {
    const bytes = readFileSync(path);
    let damaged = 0;
    for (let at = MOVED; at < bytes.length; at += PAGE) {
      const page = bytes.subarray(at, at + PAGE);
      if (page[0] !== LEAF_OF_TABLE || !page.includes(ENDED) || page.includes(WAITING)) continue;
      page.fill(0x5a);
      damaged++;
    }
    expect(damaged).toBeGreaterThan(30);
    writeFileSync(path, bytes);
    openFile(path, "own").database.close();
    withDatabase(path, (database) => {
      expect(() => database.prepare("SELECT count(lease) FROM entry").get()).toThrow("malformed");
      expect(() => database.prepare("SELECT count(error) FROM attempt").get()).toThrow("malformed");
    });
  });

  it("changes nothing if it fails", () => {
    const before = schemaOf(path);
    withDatabase(path, (database) => database.exec("CREATE TABLE runner (a)"));
    expect(() => openFile(path, "own")).toThrow("runner already exists");
    withDatabase(path, (database) => database.exec("DROP TABLE runner"));
    expect(schemaOf(path)).toEqual(before);
    openFile(path, "own").database.close();
  });
});
