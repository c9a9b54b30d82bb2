import { hash } from "node:crypto";
import type { DedupKey } from "../../event/identity.ts";
import type { Appended, EntryFilter, EntryState, NewEntry, Settlement } from "../inbox.ts";
import { claimDue } from "./claim.ts";
import { filterSql } from "./filter.ts";
import { releaseAll, releaseNext } from "./order.ts";
import { giveBackPages, MAYBE_PRUNED, pruneStep, slimStep } from "./prune.ts";
import { attemptValues, ENTRY_COLUMNS, entryValues, type Row } from "./rows.ts";
import type { Statements } from "./statements.ts";
import { encodeText } from "./text.ts";

/**
 * Everything that writes, by name, each within a transaction. What goes in and what comes out are plain values, so that
 * an operation can run in this thread or be told to another.
 */
export const OPERATIONS = {
  append,
  touch,
  claim: claimDue,
  renew,
  settle,
  redrive,
  releaseAll,
  pruneStep,
  slimStep,
  giveBackPages,
};

/** An operation's name. */
export type OperationName = keyof typeof OPERATIONS;

/** What an operation is given, but for the database. */
export type OperationArguments<Name extends OperationName> =
  Parameters<(typeof OPERATIONS)[Name]> extends [Statements, ...infer Rest] ? Rest : never;

/** What an operation gives. */
export type OperationResult<Name extends OperationName> = ReturnType<(typeof OPERATIONS)[Name]>;

/** An operation to run. */
export interface Operation {
  readonly name: OperationName;
  readonly given: readonly unknown[];
}

/** Runs an operation. */
export function runOperation(statements: Statements, { name, given }: Operation): unknown {
  const operation = OPERATIONS[name] as (statements: Statements, ...given: readonly unknown[]) => unknown;
  return operation(statements, ...given);
}

const INSERT_ENTRY = `INSERT INTO entry (${ENTRY_COLUMNS}, body_hash)
  VALUES (${ENTRY_COLUMNS.replaceAll(/\w+/g, "?")}, ?)
  ON CONFLICT (key_timestamp, event_id, source) DO UPDATE
    SET duplicates = duplicates + 1, last_seen_at = max(last_seen_at, excluded.last_seen_at)
  RETURNING seq, state, duplicates, ${MAYBE_PRUNED}`;

function append(statements: Statements, entry: NewEntry): Appended | undefined {
  const { method, target, headers, body } = entry.delivery;
  const row = statements.get(INSERT_ENTRY, ...entryValues(entry), hash("sha256", body, "hex"));
  const appended = toAppended(row ?? {}, Number(row?.duplicates) > 0);
  if (appended.duplicate) return appended;
  if (row?.maybe_pruned === 1 && entry.state === "pending" && entry.afterPruning !== true) {
    statements.run("DELETE FROM entry WHERE seq = ?", appended.seq);
    return undefined;
  }
  const insert = "INSERT INTO delivery (seq, method, target, headers, body) VALUES (?, ?, ?, ?, ?)";
  statements.run(insert, appended.seq, method, target, JSON.stringify(headers), body);
  return appended;
}

function touch(statements: Statements, key: DedupKey, at: number): Appended | undefined {
  const row = statements.get(
    `UPDATE entry SET duplicates = duplicates + 1, last_seen_at = max(last_seen_at, ?)
     WHERE key_timestamp = ? AND event_id = ? AND source = ? RETURNING seq, state`,
    ...[at, key.timestamp, encodeText(key.eventId), encodeText(key.source)],
  );
  return row === undefined ? undefined : toAppended(row, true);
}

function renew(
  statements: Statements,
  leases: readonly { seq: number; lease: string }[],
  until: number,
): readonly number[] {
  const sql = "UPDATE entry SET run_at = ? WHERE seq = ? AND lease = ?";
  const lost = leases.filter(({ seq, lease }) => statements.run(sql, until, seq, lease) === 0);
  return lost.map(({ seq }) => seq);
}

const INSERT_ATTEMPT =
  "INSERT INTO attempt (seq, attempt, handler, started_at, duration_ms, outcome, error, note) " +
  "VALUES (?, ?, ?, ?, ?, ?, ?, ?)";

function settle(statements: Statements, { records, ...settlement }: Settlement, now: number): boolean {
  const { seq, lease, state, reason, runAt } = settlement;
  const settledAt = state === "pending" ? null : now;
  const finished = JSON.stringify(settlement.finishedHandlers);
  const given = settlement.uncount === true ? 1 : 0;
  const row = statements.get(
    `UPDATE entry SET state = ?, reason = ?, run_at = ?, settled_at = ?, finished_handlers = ?,
       attempts = attempts - ?, lease = NULL
     WHERE seq = ? AND lease = ? RETURNING source, order_key`,
    ...[state, reason === null ? null : encodeText(reason), runAt, settledAt, finished, given, seq, lease],
  );
  if (row === undefined) return false;
  if (state !== "pending") releaseNext(statements, row);
  for (const record of records) {
    statements.run(INSERT_ATTEMPT, ...attemptValues(seq, record));
  }
  return true;
}

function redrive(statements: Statements, filter: EntryFilter, now: number): number {
  const { where, values } = filterSql(filter);
  const limit = filter.limit ?? -1;
  return statements.run(
    `UPDATE entry SET state = 'pending', held_back = 0, reason = NULL, run_at = ?, attempts = 0, settled_at = NULL
     WHERE seq IN
       (SELECT seq FROM entry WHERE state IN ('dead', 'unhandled') AND ${where} ORDER BY seq DESC LIMIT ?)`,
    ...[now, ...values, limit],
  );
}

function toAppended(row: Row, duplicate: boolean): Appended {
  return { seq: row.seq as number, duplicate, state: row.state as EntryState };
}
