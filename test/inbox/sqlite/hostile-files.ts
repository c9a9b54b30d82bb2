import { readFileSync, writeFileSync } from "node:fs";
import { loadSqlite } from "../../../src/inbox/sqlite/client.ts";
import { rootPage } from "./changed-file.ts";

/** Rows without an end. */
const ENDLESS =
  "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS seq FROM n";

/** Takes for ever if it is run; it also fills memory. */
const COSTLY = "length(hex(zeroblob(900000000)))";

/** A view in the place of a table. */
function viewAs(table: string, select: string): string {
  return `ALTER TABLE ${table} RENAME TO former; CREATE VIEW ${table} AS ${select}`;
}

/** Changes the text of a table's definition without what SQLite would say to it. */
function redefined(table: string, from: string, to: string): string {
  const text = (value: string) => `'${value.replaceAll("'", "''")}'`;
  return `PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, ${text(from)}, ${text(to)}) WHERE name = '${table}'`;
}

/** SQL that makes an inbox file hostile, and the object that has to be named. */
export const HOSTILE: Readonly<Record<string, readonly [sql: string, named: string]>> = {
  "an endless view as entry": [viewAs("entry", ENDLESS), 'the view "entry"'],
  "an endless view as migration": [viewAs("migration", ENDLESS), 'the view "migration"'],
  "a huge blob as delivery": [
    viewAs("delivery", "SELECT 1 AS seq, '' AS method, zeroblob(1000000000) AS body"),
    'the view "delivery"',
  ],
  "a view that nothing reads": [`CREATE VIEW unused AS ${ENDLESS}`, 'the view "unused"'],
  "an endless view as the list of tables": [
    `PRAGMA writable_schema = ON; INSERT INTO sqlite_schema VALUES
     ('view', 'sqlite_schema', 'sqlite_schema', 0, 'CREATE VIEW sqlite_schema AS ${ENDLESS}')`,
    "malformed database schema (sqlite_schema)",
  ],
  "an endless trigger on updates": [
    `CREATE TRIGGER evil AFTER UPDATE ON entry BEGIN SELECT count(*) FROM (${ENDLESS}); END`,
    'the trigger "evil" on entry',
  ],
  "an endless trigger on deletes": [
    `CREATE TRIGGER evil AFTER DELETE ON delivery BEGIN SELECT count(*) FROM (${ENDLESS}); END`,
    'the trigger "evil" on delivery',
  ],
  "a generated column": [
    `ALTER TABLE entry ADD COLUMN evil ANY GENERATED ALWAYS AS (${COSTLY}) VIRTUAL`,
    'the table "entry"',
  ],
  "a generated column of a table that is not ours": [
    `CREATE TABLE other (a, b AS (${COSTLY}))`,
    'the table "other"',
  ],
  "a check": [
    redefined("entry", "source TEXT NOT NULL,", `source TEXT NOT NULL CHECK (${COSTLY} > 0),`),
    'the table "entry"',
  ],
  "a check of a table that is not ours": [
    `CREATE TABLE other (a CHECK (${COSTLY} > 0)); PRAGMA ignore_check_constraints = ON; INSERT INTO other VALUES (1)`,
    'the table "other"',
  ],
  "a default": [
    redefined("attempt", "note TEXT,", `note TEXT DEFAULT (${COSTLY}),`),
    'the table "attempt"',
  ],
  "an index of an expression": [
    "CREATE INDEX evil ON entry (abs(seq))",
    'the index "evil" on entry',
  ],
  "an index with a condition": [
    "CREATE INDEX evil ON delivery (seq) WHERE abs(seq) > 0",
    'the index "evil" on delivery',
  ],
  "an index that refuses entries": [
    "CREATE UNIQUE INDEX evil ON entry (source, seq)",
    'the index "evil" on entry',
  ],
  "an index of ours with another condition": [
    "DROP INDEX entry_held_back; CREATE INDEX entry_held_back ON entry (seq) WHERE held_back = 2",
    'the index "entry_held_back" on entry',
  ],
  "a virtual table": ["CREATE VIRTUAL TABLE evil USING fts5 (x)", 'the virtual table "evil"'],
  "hundreds of tables": [
    Array.from({ length: 600 }, (_, n) => `CREATE TABLE t${n} (a);`).join(" "),
    "more than 500 tables and indexes",
  ],
  "a name that writes on terminals": [
    `CREATE VIEW "\u001b[2J\nx" AS SELECT 1`,
    String.raw`the view "\u001b[2J\nx"`,
  ],
};

/** What others may have made in an inbox file: it holds rows, and nothing runs. */
export const HARMLESS: Readonly<Record<string, string>> = {
  "SQLite's statistics": "ANALYZE",
  "a table of one's own": `CREATE TABLE note (seq INTEGER PRIMARY KEY AUTOINCREMENT, text VARCHAR(20) DEFAULT 'a', UNIQUE (text));
    CREATE UNIQUE INDEX note_seq ON note (seq, text COLLATE NOCASE DESC)`,
  "an index of one's own": `CREATE INDEX "entry_kind" ON entry (kind, received_at DESC)`,
  "what `.recover` cannot place":
    "CREATE TABLE lost_and_found (rootpgno INTEGER, pgno INTEGER, nfield INTEGER, id INTEGER, c0)",
  "other white space and comments": redefined(
    "entry",
    "source TEXT NOT NULL,",
    "source\t TEXT /* which */ NOT NULL, -- one\n",
  ),
};

/** Runs SQL in a file, also such as no program of ours may. */
export function makeHostile(path: string, sql: string): void {
  const database = new (loadSqlite().DatabaseSync)(path, { defensive: false });
  database.exec(sql);
  database.close();
}

const PAGE = 4096;

/**
 * Makes the tree of the entries one that has no end to speak of: 300 times the same page below each
 * of many. The list of tables is as it was.
 */
export function makeEndlessTree(path: string): void {
  const root = rootPage(path, "entry");
  const bytes = readFileSync(path);
  const leaf = bytes.subarray((root - 1) * PAGE, root * PAGE);
  const first = bytes.length / PAGE + 1;
  const pages = Array.from({ length: 11 }, (_, depth) => leadingTo(first + depth + 1));
  const made = Buffer.concat([bytes, ...pages, leaf]);
  made.set(leadingTo(first), (root - 1) * PAGE);
  made.writeUInt32BE(made.length / PAGE, 28);
  writeFileSync(path, made);
}

/** A page that only leads to another one, again and again. */
function leadingTo(child: number, times = 300): Buffer {
  const page = Buffer.alloc(PAGE);
  const cell = (index: number) => PAGE - 5 * (index + 1);
  page[0] = 5;
  page.writeUInt16BE(times, 3);
  page.writeUInt16BE(cell(times - 1), 5);
  page.writeUInt32BE(child, 8);
  for (let index = 0; index < times; index++) {
    page.writeUInt16BE(cell(index), 12 + 2 * index);
    page.writeUInt32BE(child, cell(index));
    page[cell(index) + 4] = 1;
  }
  return page;
}
