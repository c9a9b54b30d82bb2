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
  type PruneRequest,
  type Settlement,
  type SlimRequest,
  type Step,
  type StepResult,
} from "./inbox.ts";
import { claimDue, nextDue } from "./sqlite/claim.ts";
import { openDatabase } from "./sqlite/client.ts";
import { inboxError } from "./sqlite/errors.ts";
import { filterSql } from "./sqlite/filter.ts";
import { migrate } from "./sqlite/migrations.ts";
import { releaseAll, releaseNext } from "./sqlite/order.ts";
import { Presence } from "./sqlite/presence.ts";
import { giveBackPages, MAYBE_PRUNED, pruneStep, slimStep } from "./sqlite/prune.ts";
import {
  attemptValues,
  ENTRY_COLUMNS,
  entryValues,
  type Row,
  toAttempt,
  toDelivery,
  toEntry,
} from "./sqlite/rows.ts";
import { Statements } from "./sqlite/statements.ts";
import { encodeText } from "./sqlite/text.ts";

const INSERT_ATTEMPT =
  "INSERT INTO attempt (seq, attempt, handler, started_at, duration_ms, outcome, error, note) " +
  "VALUES (?, ?, ?, ?, ?, ?, ?, ?)";

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
  #statements: Statements | undefined;
  #presence: Presence | undefined;

  constructor(path: string) {
    this.#path = path;
    this.#commit = new GroupCommit({
      begin: () => {
        const statements = this.#open;
        this.#presence?.check();
        statements.run("BEGIN IMMEDIATE");
      },
      commit: () => void this.#open.run("COMMIT"),
      rollback: () => {
        if (this.#open.inTransaction) this.#open.run("ROLLBACK");
      },
    });
  }

  async open(): Promise<void> {
    await this.#guard(() => {
      const database = openDatabase(this.#path, (opened) => migrate(opened, this.#path, Date.now()));
      this.#statements = new Statements(database);
      this.#presence = new Presence(this.#path);
    });
    await this.#write((statements) => releaseAll(statements));
  }

  append(entry: NewEntry): Promise<Appended | undefined> {
    const values = entryValues(entry);
    const { method, target, headers, body } = entry.delivery;
    return this.#write((statements) => {
      const row = statements.get(
        `INSERT INTO entry (${ENTRY_COLUMNS}) VALUES (${values.map(() => "?").join(", ")})
         ON CONFLICT (key_timestamp, event_id, source) DO UPDATE
           SET duplicates = duplicates + 1, last_seen_at = max(last_seen_at, excluded.last_seen_at)
         RETURNING seq, state, duplicates, ${MAYBE_PRUNED}`,
        ...values,
      );
      const appended = toAppended(row ?? {}, Number(row?.duplicates) > 0);
      if (appended.duplicate) return appended;
      if (row?.maybe_pruned === 1 && entry.state === "pending" && entry.afterPruning !== true) {
        statements.run("DELETE FROM entry WHERE seq = ?", appended.seq);
        return undefined;
      }
      const insert = "INSERT INTO delivery (seq, method, target, headers, body) VALUES (?, ?, ?, ?, ?)";
      statements.run(insert, appended.seq, method, target, JSON.stringify(headers), body);
      return appended;
    });
  }

  touch(key: DedupKey, at: number): Promise<Appended | undefined> {
    return this.#write((statements) => {
      const row = statements.get(
        `UPDATE entry SET duplicates = duplicates + 1, last_seen_at = max(last_seen_at, ?)
         WHERE key_timestamp = ? AND event_id = ? AND source = ? RETURNING seq, state`,
        ...[at, key.timestamp, encodeText(key.eventId), encodeText(key.source)],
      );
      return row === undefined ? undefined : toAppended(row, true);
    });
  }

  claim(request: ClaimRequest): Promise<readonly ClaimedEntry[]> {
    return this.#write((statements) => claimDue(statements, request));
  }

  renew(leases: readonly { seq: number; lease: string }[], until: number): Promise<readonly number[]> {
    const sql = "UPDATE entry SET run_at = ? WHERE seq = ? AND lease = ?";
    return this.#write((statements) => {
      const lost = leases.filter(({ seq, lease }) => statements.run(sql, until, seq, lease) === 0);
      return lost.map(({ seq }) => seq);
    });
  }

  settle({ records, ...settlement }: Settlement, now: number): Promise<boolean> {
    const { seq, lease, state, reason, runAt } = settlement;
    const settledAt = state === "pending" ? null : now;
    const finished = JSON.stringify(settlement.finishedHandlers);
    const given = settlement.uncount === true ? 1 : 0;
    return this.#write((statements) => {
      const row = statements.get(
        `UPDATE entry SET state = ?, reason = ?, run_at = ?, settled_at = ?, finished_handlers = ?,
           attempts = attempts - ?, lease = NULL
         WHERE seq = ? AND lease = ? RETURNING source, order_key`,
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
      if (row === undefined) return false;
      if (state !== "pending") releaseNext(statements, row);
      for (const record of records) {
        statements.run(INSERT_ATTEMPT, ...attemptValues(seq, record));
      }
      return true;
    });
  }

  nextRunAt({ except = [] }: Pick<ClaimRequest, "except"> = {}): Promise<number | undefined> {
    return this.#guard(() => nextDue(this.#open, except));
  }

  redrive(filter: EntryFilter, now: number): Promise<number> {
    const { where, values } = filterSql(filter);
    const limit = filter.limit ?? -1;
    return this.#write((statements) =>
      statements.run(
        `UPDATE entry SET state = 'pending', held_back = 0, reason = NULL, run_at = ?, attempts = 0, settled_at = NULL
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
      const rows = this.#open.all(
        `SELECT * FROM entry WHERE ${where} ORDER BY seq DESC LIMIT ?`,
        ...values,
        limit,
      );
      return rows.reverse().map(toEntry);
    });
  }

  prune(request: PruneRequest, step: Step): Promise<StepResult> {
    return this.#step((statements) => pruneStep(statements, request, step));
  }

  slim(request: SlimRequest, step: Step): Promise<StepResult> {
    return this.#step((statements) => slimStep(statements, request, step));
  }

  async #step(work: (statements: Statements) => StepResult): Promise<StepResult> {
    const result = await this.#write(work);
    if (result.changed > 0) await this.#guard(() => giveBackPages(this.#open));
    return result;
  }

  delivery(seq: number): Promise<Delivery | undefined> {
    return this.#guard(() => {
      const sql =
        "SELECT method, target, headers, body, received_at FROM delivery JOIN entry USING (seq) WHERE seq = ?";
      const row = this.#open.get(sql, seq);
      return row === undefined ? undefined : toDelivery(row);
    });
  }

  attempts(seq: number): Promise<readonly AttemptRecord[]> {
    return this.#guard(() =>
      this.#open.all("SELECT * FROM attempt WHERE seq = ? ORDER BY rowid", seq).map(toAttempt),
    );
  }

  counts(): Promise<Readonly<Record<EntryState, number>>> {
    return this.#guard(() => {
      const counts = Object.fromEntries(ENTRY_STATES.map((state) => [state, 0])) as Record<
        EntryState,
        number
      >;
      for (const row of this.#open.all("SELECT state, count(*) AS n FROM entry GROUP BY state")) {
        counts[row.state as EntryState] = row.n as number;
      }
      return counts;
    });
  }

  async close(): Promise<void> {
    await this.#commit.idle();
    const statements = this.#statements;
    this.#statements = undefined;
    if (statements === undefined) return;
    try {
      // Brings everything into the one file, so that a copy of it is whole.
      statements.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    } catch {
      // On a full disk, say. What is committed stays in the log beside the file, and the next open finds it there.
    }
    await this.#guard(() => statements.close());
  }

  get #open(): Statements {
    if (this.#statements !== undefined) return this.#statements;
    throw new HookporterError("closed", `the inbox ${this.#path} is not open: call start() first`);
  }

  #write<Result>(work: (statements: Statements) => Result): Promise<Result> {
    return this.#commit
      .run(() => work(this.#open))
      .catch((thrown: unknown) => {
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
}

function toAppended(row: Row, duplicate: boolean): Appended {
  return { seq: row.seq as number, duplicate, state: row.state as EntryState };
}
