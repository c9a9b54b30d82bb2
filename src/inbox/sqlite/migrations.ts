import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { HookporterError } from "../../errors.ts";
import { addColumnsInPlace, createIndexInPlace } from "./in-place.ts";

/** A version of the schema: SQL, which an empty file can run in any case. */
interface Step {
  readonly sql: string;
  /** What comes to the same in a file with rows, but reads none of them. */
  readonly inPlace?: (database: DatabaseSyncInstance) => void;
}

/** What can be claimed, in the order it is claimed, by source: a claim passes over no entry of another receiver's. */
const ENTRY_QUEUE = `CREATE INDEX entry_queue ON entry (source, run_at, seq)
    WHERE state IN ('pending', 'running') AND held_back = 0`;

const ENTRY_WAITS = `CREATE INDEX entry_waits ON entry (source, seq)
    WHERE waits IS NOT NULL AND state IN ('pending', 'running')`;

const STEP_3_TABLES = `
    -- As pruned, for one source: what one receiver drops early must not make another refuse its events.
    CREATE TABLE pruned_source (source TEXT PRIMARY KEY, dated_until INTEGER NOT NULL) STRICT, WITHOUT ROWID;

    -- One row per process that runs entries. Each holds a lock on a file of its own, named for its id.
    CREATE TABLE runner (
      id TEXT PRIMARY KEY,
      since INTEGER NOT NULL,
      version TEXT NOT NULL,
      schema INTEGER NOT NULL,
      role TEXT NOT NULL,
      sources TEXT NOT NULL,
      kinds TEXT NOT NULL
    ) STRICT`;

/**
 * The schema, one step per version. Append only: never edit a step that has shipped, since existing files have run it. A
 * step must not read the rows of `entry`, `delivery` or `attempt`, of which there may be millions; see `in-place.ts`.
 */
const MIGRATIONS: readonly Step[] = [
  {
    sql: `
  -- One row per dedup key, small and fixed in size, since it changes with every attempt.
  CREATE TABLE entry (
    seq INTEGER PRIMARY KEY,
    key_timestamp INTEGER NOT NULL,
    event_id TEXT NOT NULL,
    source TEXT NOT NULL,
    kind TEXT,
    event_timestamp INTEGER,
    -- Not as a list of values, from which SQLite would build a table with each row that is written.
    state TEXT NOT NULL CHECK (state = 'pending' OR state = 'running' OR state = 'done' OR state = 'dead' OR state = 'unhandled'),
    reason TEXT,
    order_key TEXT,
    -- A hint that spares claims from looking at it again: an earlier entry of its order key has to end first.
    held_back INTEGER NOT NULL DEFAULT 0,
    received_at INTEGER NOT NULL,
    run_at INTEGER NOT NULL,
    lease TEXT,
    attempts INTEGER NOT NULL DEFAULT 0,
    duplicates INTEGER NOT NULL DEFAULT 0,
    last_seen_at INTEGER NOT NULL,
    settled_at INTEGER,
    finished_handlers TEXT NOT NULL DEFAULT '[]',
    body_hash TEXT NOT NULL,
    body_length INTEGER NOT NULL
  ) STRICT;

  -- Led by the timestamp: new keys land at the index's end, which stays in memory however large the inbox grows.
  CREATE UNIQUE INDEX entry_key ON entry (key_timestamp, event_id, source);

  -- What can be claimed, in the order it is claimed; holds nothing of what has ended.
  CREATE INDEX entry_waiting ON entry (run_at, seq) WHERE state IN ('pending', 'running') AND held_back = 0;

  -- What can hold back, or be held back by, an entry of the same order key.
  CREATE INDEX entry_order ON entry (order_key, source, seq)
    WHERE order_key IS NOT NULL AND state IN ('pending', 'running', 'dead');
  CREATE INDEX entry_held_back ON entry (seq) WHERE held_back = 1;

  -- The delivery as it came; written once, so a large body is not rewritten with each attempt.
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
    error TEXT
  ) STRICT;
  CREATE INDEX attempt_entry ON attempt (seq, attempt);

  -- One row: events dated at or before this may have been dropped, so one that is not known is not taken for new.
  CREATE TABLE pruned (dated_until INTEGER NOT NULL) STRICT;
  INSERT INTO pruned VALUES (-9007199254740991);
  `,
  },
  {
    sql: `
  -- What the handler noted, such as its target's answer.
  ALTER TABLE attempt ADD COLUMN note TEXT;
  `,
  },
  {
    sql: `
    -- By source, so that a claim passes over no entry of another receiver's.
    ${ENTRY_QUEUE};
    DROP INDEX entry_waiting;
    ${STEP_3_TABLES};
    -- How data does not fit its schema, and the targets that an entry waits for, both as JSON.
    ALTER TABLE entry ADD COLUMN problems TEXT;
    ALTER TABLE entry ADD COLUMN waits TEXT;
    -- What is known about a handler's error, as JSON.
    ALTER TABLE attempt ADD COLUMN failure TEXT;
    ${ENTRY_WAITS};
    `,
    // And without a change: an element of finished_handlers is the handler's name, as before, or the record of its only
    // run, [name, attempt, started_at, duration_ms], if all went well and there is nothing to add. Such runs are not in
    // attempt.
    inPlace: (database) => {
      createIndexInPlace(database, ENTRY_QUEUE, "FROM entry INDEXED BY entry_waiting");
      database.exec(`DROP INDEX entry_waiting; ${STEP_3_TABLES}`);
      addColumnsInPlace(database, "entry", "problems TEXT, waits TEXT");
      addColumnsInPlace(database, "attempt", "failure TEXT");
      createIndexInPlace(database, ENTRY_WAITS);
    },
  },
  {
    sql: `
  -- One row per source: what its receivers saw of signatures, and nothing of a request. Written at most every 10 seconds.
  -- The latest authentic delivery; those since then that match no secret; the events and the longest gap of 14 days, as JSON.
  CREATE TABLE sender (
    source TEXT PRIMARY KEY,
    authentic_at INTEGER,
    mismatches INTEGER NOT NULL,
    bodies INTEGER NOT NULL,
    mismatched_from INTEGER,
    mismatched_to INTEGER,
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
  `,
  },
];

export const SCHEMA_VERSION = MIGRATIONS.length;

const CREATE_MIGRATION =
  "CREATE TABLE migration (version INTEGER PRIMARY KEY, applied_at INTEGER NOT NULL) STRICT";

/** Creates the schema in an empty file; an older version is for the first page of a damaged file only. */
export function createSchema(database: DatabaseSyncInstance, now: number, version = SCHEMA_VERSION): void {
  const steps = MIGRATIONS.slice(0, version).map(
    ({ sql }, index) => `${sql}; INSERT INTO migration VALUES (${index + 1}, ${now});`,
  );
  database.exec(`BEGIN IMMEDIATE; ${CREATE_MIGRATION}; ${steps.join("\n")} COMMIT`);
}

/**
 * Brings a file up to date, each step in a transaction that only one process can win. Throws `inbox_newer`.
 *
 * @param refuse - throws if the file must not be changed now
 * @param before - called once with the version of the file, in the transaction of the first step, before it changes anything
 */
export function migrate(
  database: DatabaseSyncInstance,
  path: string,
  refuse: () => void,
  before: (version: number) => void,
): void {
  const applied = () => schemaOf(database, path);
  const first = applied();
  if (first < SCHEMA_VERSION) refuse();
  for (let version = first + 1; version <= SCHEMA_VERSION; version++) {
    database.exec("BEGIN IMMEDIATE");
    try {
      if (applied() < version) {
        if (version === first + 1) before(first);
        const { sql = "", inPlace } = MIGRATIONS[version - 1] ?? {};
        if (inPlace === undefined) database.exec(sql);
        else inPlace(database);
        database.prepare("INSERT INTO migration VALUES (?, ?)").run(version, Date.now());
      }
      database.exec("COMMIT");
    } catch (error) {
      database.exec("ROLLBACK");
      throw error;
    }
  }
}

/** The schema version of a file; throws `inbox_newer` for one that is not known, `inbox_corrupt` if there are no tables. */
export function schemaOf(database: DatabaseSyncInstance, path: string): number {
  // A new file gets its tables before it gets its name, so one without them has lost them.
  if (database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'migration'").get() === undefined) {
    throw new HookporterError(
      "inbox_corrupt",
      `expected ${path} to have the tables of an inbox, got none: stop all programs that use it, and see docs/recovery.md`,
    );
  }
  const version = Number(database.prepare("SELECT max(version) AS v FROM migration").get()?.v ?? 0);
  if (version <= SCHEMA_VERSION) return version;
  throw new HookporterError(
    "inbox_newer",
    `expected schema ${SCHEMA_VERSION} or older in ${path}, got ${version}: update hookporter, or choose another path`,
  );
}
