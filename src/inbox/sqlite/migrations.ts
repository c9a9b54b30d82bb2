import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { HookporterError } from "../../base/errors.ts";

/**
 * The tables and indexes of an inbox file. Times are milliseconds since 1970, and lists are JSON.
 */
const TABLES = `
  -- One row per dedup key, small and fixed in size, since it changes with every attempt.
  CREATE TABLE entry (
    seq INTEGER PRIMARY KEY,
    key_timestamp INTEGER NOT NULL,
    event_id TEXT NOT NULL,
    source TEXT NOT NULL,
    kind TEXT,
    event_timestamp INTEGER,
    -- Not as a list of values, from which SQLite would build a table with each row that is written; nor in the indexes.
    state TEXT NOT NULL CHECK (state = 'waiting' OR state = 'running' OR state = 'handled'
      OR state = 'failing' OR state = 'dead' OR state = 'received'),
    reason TEXT,
    -- How data does not fit its schema, as JSON.
    problems TEXT,
    order_key TEXT,
    -- A hint that spares claims from looking at it again: an earlier entry of its order key has to end first.
    held_back INTEGER NOT NULL DEFAULT 0,
    received_at INTEGER NOT NULL,
    -- When it may be claimed next; of a running entry, when its lease ends.
    run_at INTEGER NOT NULL,
    -- What has ended keeps its last lease, so that its settlement can be repeated.
    lease TEXT,
    attempts INTEGER NOT NULL DEFAULT 0,
    duplicates INTEGER NOT NULL DEFAULT 0,
    last_seen_at INTEGER NOT NULL,
    -- When it ended; NULL until then.
    settled_at INTEGER,
    -- Each handler that has finished: its name, or the record of its only run, [name, attempt, started_at, duration_ms], if
    -- all went well and there is nothing to add. Such runs are not in attempt.
    finished_handlers TEXT NOT NULL DEFAULT '[]',
    -- The targets that it waits for, or was given up on for, as JSON.
    waits TEXT,
    -- SHA-256 of the body, in hex.
    body_hash TEXT NOT NULL,
    body_length INTEGER NOT NULL
  ) STRICT;

  -- Led by the timestamp: new keys land at the index's end, which stays in memory however large the inbox grows.
  CREATE UNIQUE INDEX entry_key ON entry (key_timestamp, event_id, source);

  -- What can be claimed, in the order it is claimed; holds nothing of what has ended. By source, so that a claim passes over no
  -- entry of another receiver's.
  CREATE INDEX entry_queue ON entry (source, run_at, seq)
    WHERE (state = 'waiting' OR state = 'running' OR state = 'failing') AND held_back = 0;

  -- What can hold back, or be held back by, an entry of the same order key.
  CREATE INDEX entry_order ON entry (order_key, source, seq)
    WHERE order_key IS NOT NULL AND state <> 'handled' AND state <> 'received';
  CREATE INDEX entry_held_back ON entry (seq) WHERE held_back = 1;

  -- What waits for a target.
  CREATE INDEX entry_waits ON entry (source, seq)
    WHERE waits IS NOT NULL AND (state = 'waiting' OR state = 'running' OR state = 'failing');

  -- The delivery as it was received; written once, so a large body is not rewritten with each attempt.
  CREATE TABLE delivery (
    seq INTEGER PRIMARY KEY,
    method TEXT NOT NULL,
    target TEXT NOT NULL,
    headers TEXT NOT NULL,
    body BLOB NOT NULL
  ) STRICT;

  -- One row per run of one handler.
  CREATE TABLE attempt (
    seq INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    handler TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    duration_ms REAL NOT NULL,
    outcome TEXT NOT NULL CHECK (outcome = 'ok' OR outcome = 'error' OR outcome = 'timeout'),
    error TEXT,
    -- What the handler noted, such as its target's answer.
    note TEXT,
    -- What is known about the error, as JSON.
    failure TEXT
  ) STRICT;
  CREATE INDEX attempt_entry ON attempt (seq, attempt);

  -- By source: events dated at or before this may have been pruned, so one that is not known is not taken for new. What one
  -- receiver prunes early must not make another refuse its events.
  CREATE TABLE pruned (source TEXT PRIMARY KEY, dated_until INTEGER NOT NULL) STRICT, WITHOUT ROWID;

  -- One row per process that runs entries. Each holds a lock on a file of its own, named for its id.
  CREATE TABLE runner (
    id TEXT PRIMARY KEY,
    since INTEGER NOT NULL,
    version TEXT NOT NULL,
    role TEXT NOT NULL,
    sources TEXT NOT NULL,
    kinds TEXT NOT NULL
  ) STRICT;

  -- One row per source: what its receivers saw of signatures, and nothing of a request. Written at most every 10 seconds.
  CREATE TABLE sender (
    source TEXT PRIMARY KEY,
    -- The latest authentic delivery.
    authentic_at INTEGER,
    -- Deliveries since then that match no secret, and how many different bodies they had.
    mismatches INTEGER NOT NULL,
    bodies INTEGER NOT NULL,
    mismatched_from INTEGER,
    mismatched_to INTEGER,
    -- The events and the longest gap of each of 14 days, as JSON.
    days TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- What must not run now: a scope is 'kind', 'handler', 'target', 'source', 'retry', or 'all' with an empty name.
  CREATE TABLE paused (
    scope TEXT NOT NULL,
    name TEXT NOT NULL,
    since INTEGER NOT NULL,
    who TEXT NOT NULL,
    PRIMARY KEY (scope, name)
  ) STRICT, WITHOUT ROWID;

  -- One row per retry at a measured pace, until none of its entries waits: those have the reason 'paced_' and its number.
  CREATE TABLE pace (
    id INTEGER PRIMARY KEY,
    since INTEGER NOT NULL,
    who TEXT NOT NULL,
    interval_ms REAL NOT NULL,
    entries INTEGER NOT NULL,
    -- When the last of them is due: a due time up to then is not that of a clock that was set back.
    due_until INTEGER NOT NULL
  ) STRICT;

  -- The entries of an erasure that has not ended: what is left of them in the file is deleted at its end.
  CREATE TABLE erased (seq INTEGER PRIMARY KEY, erased_at INTEGER NOT NULL) STRICT;
`;

/**
 * The SQL of each version of the schema. Until 1.0.0 is released, the first may be edited. After
 * that, append only: existing files have run what was released. A later one must not read all rows
 * of `entry`, `delivery` or `attempt`, of which there may be millions, as `CREATE INDEX` does, and
 * `ALTER TABLE ADD COLUMN` in a STRICT table.
 */
export const MIGRATIONS: readonly string[] = [TABLES];

export const SCHEMA_VERSION = MIGRATIONS.length;

/** The table that says which migrations a file has run; it never changes. */
export const CREATE_MIGRATION =
  "CREATE TABLE migration (version INTEGER PRIMARY KEY, applied_at INTEGER NOT NULL) STRICT";

/** Creates the schema in an empty file. */
export function createSchema(
  database: DatabaseSyncInstance,
  now: number,
  migrations: readonly string[] = MIGRATIONS,
): void {
  const steps = migrations.map(
    (sql, index) => `${sql}; INSERT INTO migration VALUES (${index + 1}, ${now});`,
  );
  database.exec(`BEGIN IMMEDIATE; ${CREATE_MIGRATION}; ${steps.join("\n")} COMMIT`);
}

/** What happens before a file is migrated. */
export interface BeforeMigration {
  /** Throws if the file must not be changed now. */
  readonly refuse: () => void;
  /**
   * Called once with the version of the file, in the transaction of the first step, before that
   * changes anything.
   */
  readonly before: (version: number) => void;
}

/**
 * Brings a file up to date, each step in a transaction that only one process can win. Throws
 * `inbox_newer`.
 */
export function migrate(
  database: DatabaseSyncInstance,
  path: string,
  { refuse, before }: BeforeMigration,
  migrations: readonly string[] = MIGRATIONS,
): void {
  const applied = () => schemaOf(database, path, migrations.length);
  const first = applied();
  if (first < migrations.length) refuse();
  for (const [index, sql] of migrations.entries()) {
    const version = index + 1;
    if (version <= first) continue;
    database.exec("BEGIN IMMEDIATE");
    try {
      if (applied() < version) {
        if (version === first + 1) before(first);
        database.exec(sql);
        database.prepare("INSERT INTO migration VALUES (?, ?)").run(version, Date.now());
      }
      database.exec("COMMIT");
    } catch (error) {
      database.exec("ROLLBACK");
      throw error;
    }
  }
}

/**
 * The schema version of a file; throws `inbox_newer` for one that is not known, `inbox_corrupt` if
 * there are no tables.
 *
 * @param newest - the newest version that is known
 */
export function schemaOf(
  database: DatabaseSyncInstance,
  path: string,
  newest = SCHEMA_VERSION,
): number {
  // A new file gets its tables before it gets its name, so one without them has lost them.
  if (
    database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'migration'").get() === undefined
  ) {
    throw new HookporterError(
      "inbox_corrupt",
      `expected ${path} to have the tables of an inbox, got none: stop all programs that use it, and see docs/recovery.md`,
    );
  }
  const version = Number(database.prepare("SELECT max(version) AS v FROM migration").get()?.v ?? 0);
  if (version <= newest) return version;
  throw new HookporterError(
    "inbox_newer",
    `expected schema ${newest} or older in ${path}, got ${version}: update hookporter, or choose another path`,
  );
}
