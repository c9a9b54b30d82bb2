import { randomUUID } from "node:crypto";
import type { DatabaseSyncInstance, StatementSyncInstance } from "@photostructure/sqlite";
import { HookporterError } from "../errors.ts";
import type { Delivery } from "../event/delivery.ts";
import type { DedupKey } from "../event/identity.ts";
import { GroupCommit } from "./group-commit.ts";
import {
  type Appended,
  type AttemptRecord,
  type ClaimedEntry,
  type ClaimRequest,
  ENTRY_STATES,
  type Entry,
  type EntryFilter,
  type EntryState,
  type Inbox,
  type NewEntry,
  type Settlement,
} from "./inbox.ts";
import { openDatabase } from "./sqlite/client.ts";
import { inboxError } from "./sqlite/errors.ts";
import { filterSql } from "./sqlite/filter.ts";
import { migrate } from "./sqlite/migrations.ts";
import {
  attemptValues,
  ENTRY_COLUMNS,
  entryValues,
  type Row,
  toAttempt,
  toDelivery,
  toEntry,
} from "./sqlite/rows.ts";
import { encodeText } from "./sqlite/text.ts";

/**
 * The embedded inbox: one SQLite file, written ahead of every answer, flushed to disk with every commit. Commits are
 * shared between all writes of one turn of the event loop.
 */
export function sqliteInbox(path: string): Inbox {
  return new SqliteInbox(path);
}

class SqliteInbox implements Inbox {
  readonly #path: string;
  readonly #commit: GroupCommit;
  readonly #statements = new Map<string, StatementSyncInstance>();
  #database: DatabaseSyncInstance | undefined;

  constructor(path: string) {
    this.#path = path;
    this.#commit = new GroupCommit({
      begin: () => this.#run("BEGIN IMMEDIATE"),
      commit: () => this.#run("COMMIT"),
      // SQLite has already rolled back after some errors, such as a full disk.
      rollback: () => this.#database?.isTransaction === true && this.#run("ROLLBACK"),
    });
  }

  async open(): Promise<void> {
    await this.#guard(() => {
      this.#database = openDatabase(this.#path, (database) => migrate(database, this.#path, Date.now()));
    });
  }

  append(entry: NewEntry): Promise<Appended> {
    const values = entryValues(entry);
    const { method, target, headers, body } = entry.delivery;
    return this.#write(() => {
      const row = this.#get(
        `INSERT INTO entry (${ENTRY_COLUMNS}) VALUES (${values.map(() => "?").join(", ")})
         ON CONFLICT (key_timestamp, event_id, source) DO UPDATE
           SET duplicates = duplicates + 1, last_seen_at = max(last_seen_at, excluded.last_seen_at)
         RETURNING seq, state, duplicates`,
        ...values,
      );
      const appended = toAppended(row ?? {}, Number(row?.duplicates) > 0);
      if (!appended.duplicate) {
        const insert = "INSERT INTO delivery (seq, method, target, headers, body) VALUES (?, ?, ?, ?, ?)";
        this.#run(insert, appended.seq, method, target, JSON.stringify(headers), body);
      }
      return appended;
    });
  }

  touch(key: DedupKey, at: number): Promise<Appended | undefined> {
    return this.#write(() => {
      const row = this.#get(
        `UPDATE entry SET duplicates = duplicates + 1, last_seen_at = max(last_seen_at, ?)
         WHERE key_timestamp = ? AND event_id = ? AND source = ? RETURNING seq, state`,
        ...[at, key.timestamp, encodeText(key.eventId), encodeText(key.source)],
      );
      return row === undefined ? undefined : toAppended(row, true);
    });
  }

  claim({ now, limit, leaseMs }: ClaimRequest): Promise<readonly ClaimedEntry[]> {
    return this.#write(() => {
      const due = this.#all(
        `SELECT seq FROM entry WHERE state IN ('pending', 'running') AND run_at <= ?
         ORDER BY run_at, seq LIMIT ?`,
        ...[now, limit],
      );
      return due.map((row) => this.#lease(row.seq as number, now + leaseMs));
    });
  }

  renew(leases: readonly { seq: number; lease: string }[], until: number): Promise<readonly number[]> {
    const sql = "UPDATE entry SET run_at = ? WHERE seq = ? AND lease = ?";
    return this.#write(() => {
      const lost = leases.filter(({ seq, lease }) => this.#run(sql, until, seq, lease) === 0);
      return lost.map(({ seq }) => seq);
    });
  }

  settle({ records, ...settlement }: Settlement, now: number): Promise<boolean> {
    const { seq, lease, state, reason, runAt } = settlement;
    const settledAt = state === "pending" ? null : now;
    const finished = JSON.stringify(settlement.finishedHandlers);
    const given = settlement.uncount === true ? 1 : 0;
    return this.#write(() => {
      const changed = this.#run(
        `UPDATE entry SET state = ?, reason = ?, run_at = ?, settled_at = ?, finished_handlers = ?,
           attempts = attempts - ?, lease = NULL
         WHERE seq = ? AND lease = ?`,
        ...[
          state,
          reason === null ? null : encodeText(reason),
          runAt,
          settledAt,
          finished,
          given,
          seq,
          lease,
        ],
      );
      if (changed === 0) return false;
      for (const record of records) {
        this.#run("INSERT INTO attempt VALUES (?, ?, ?, ?, ?, ?, ?)", ...attemptValues(seq, record));
      }
      return true;
    });
  }

  nextRunAt(): Promise<number | undefined> {
    return this.#guard(() => {
      const row = this.#get("SELECT min(run_at) AS at FROM entry WHERE state IN ('pending', 'running')");
      return (row?.at as number | null | undefined) ?? undefined;
    });
  }

  redrive(filter: EntryFilter, now: number): Promise<number> {
    const { where, values } = filterSql(filter);
    const limit = filter.limit ?? -1;
    return this.#write(() =>
      this.#run(
        `UPDATE entry SET state = 'pending', reason = NULL, run_at = ?, attempts = 0, settled_at = NULL
         WHERE seq IN
           (SELECT seq FROM entry WHERE state IN ('dead', 'unhandled') AND ${where} ORDER BY seq DESC LIMIT ?)`,
        ...[now, ...values, limit],
      ),
    );
  }

  list(filter: EntryFilter): Promise<readonly Entry[]> {
    const { where, values } = filterSql(filter);
    return this.#guard(() => {
      const limit = filter.limit ?? -1;
      const rows = this.#all(
        `SELECT * FROM entry WHERE ${where} ORDER BY seq DESC LIMIT ?`,
        ...values,
        limit,
      );
      return rows.reverse().map(toEntry);
    });
  }

  delivery(seq: number): Promise<Delivery | undefined> {
    return this.#guard(() => this.#delivery(seq));
  }

  attempts(seq: number): Promise<readonly AttemptRecord[]> {
    return this.#guard(() =>
      this.#all("SELECT * FROM attempt WHERE seq = ? ORDER BY rowid", seq).map(toAttempt),
    );
  }

  counts(): Promise<Readonly<Record<EntryState, number>>> {
    return this.#guard(() => {
      const counts = Object.fromEntries(ENTRY_STATES.map((state) => [state, 0])) as Record<
        EntryState,
        number
      >;
      for (const row of this.#all("SELECT state, count(*) AS n FROM entry GROUP BY state")) {
        counts[row.state as EntryState] = row.n as number;
      }
      return counts;
    });
  }

  async close(): Promise<void> {
    await this.#commit.idle();
    this.#statements.clear();
    // Brings everything into the one file, so that a copy of it is whole.
    this.#database?.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    this.#database?.close();
    this.#database = undefined;
  }

  #lease(seq: number, until: number): ClaimedEntry {
    const lease = randomUUID();
    const row = this.#get(
      `UPDATE entry SET state = 'running', run_at = ?, attempts = attempts + 1, lease = ?
       WHERE seq = ? RETURNING *`,
      ...[until, lease, seq],
    );
    const delivery = this.#delivery(seq);
    if (row === undefined || delivery === undefined) {
      throw new HookporterError(
        "inbox_corrupt",
        `the inbox ${this.#path} has an entry ${seq} without a delivery`,
      );
    }
    return { ...toEntry(row), lease, delivery };
  }

  #delivery(seq: number): Delivery | undefined {
    const row = this.#get(
      `SELECT method, target, headers, body, received_at FROM delivery JOIN entry USING (seq) WHERE seq = ?`,
      seq,
    );
    return row === undefined ? undefined : toDelivery(row);
  }

  #write<Result>(work: () => Result): Promise<Result> {
    return this.#commit.run(work).catch((thrown: unknown) => {
      throw inboxError(this.#path, thrown);
    });
  }

  async #guard<Result>(work: () => Result): Promise<Result> {
    try {
      return work();
    } catch (thrown) {
      throw inboxError(this.#path, thrown);
    }
  }

  #get(sql: string, ...values: Value[]): Row | undefined {
    return this.#prepared(sql).get(...values) as Row | undefined;
  }

  #all(sql: string, ...values: Value[]): Row[] {
    return this.#prepared(sql).all(...values) as Row[];
  }

  /** Runs a statement; gives how many rows it changed. */
  #run(sql: string, ...values: Value[]): number {
    return Number(this.#prepared(sql).run(...values).changes);
  }

  #prepared(sql: string): StatementSyncInstance {
    if (this.#database === undefined) {
      throw new HookporterError("closed", `the inbox ${this.#path} is not open: call start() first`);
    }
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

type Value = string | number | null | Uint8Array;

function toAppended(row: Row, duplicate: boolean): Appended {
  return { seq: row.seq as number, duplicate, state: row.state as EntryState };
}
