import { hash } from "../../base/package/builtins.ts";
import type { DataProblem } from "../../event/data-problems.ts";
import type { DedupKey } from "../../event/identity.ts";
import type { Appended, NewEntry } from "../append.ts";
import type { EntryFilter } from "../entry-filter.ts";
import { type EntryState, hasEnded } from "../entry-state.ts";
import type { Finish } from "../inline-runs.ts";
import { encodeNullable, encodeText, waitsValue } from "../rows.ts";
import { AWAITS_HANDLER, NO_HANDLER } from "../runner.ts";
import type { Settlement } from "../settlement.ts";
import { DROPPED } from "../target-wait.ts";
import { claimDue } from "./claim.ts";
import { clearErased, endErasure, erase, rewriteOrder } from "./erase.ts";
import { filterSql } from "./filter.ts";
import { CLAIMABLE } from "./index-conditions.ts";
import { insertEntry, mayBePruned } from "./insert-entry.ts";
import { isBlocked, releaseAll, releaseBlocked, releaseNext } from "./order.ts";
import {
  endPause,
  endRetry,
  newRetry,
  paceRetry,
  pause,
  release,
  STATE_WITHOUT_REASON,
} from "./pause.ts";
import { forgetRunners, recordRunner } from "./processes/runner-records.ts";
import { giveBackPages, pruneStep, slimStep } from "./prune.ts";
import { recordSender } from "./senders.ts";
import { sourcesToServe } from "./sources.ts";
import type { Statements } from "./statements.ts";

/**
 * All operations that write, by name; each runs within a transaction. Arguments and results are
 * plain values, so that an operation can run in this thread or be sent to another.
 */
export const OPERATIONS = {
  append,
  touch,
  claim: claimDue,
  renew,
  finish,
  settle,
  retry,
  reschedule,
  makeDue,
  drop,
  releaseAll,
  pruneStep,
  slimStep,
  giveBackPages,
  erase,
  clearErased,
  rewriteOrder,
  endErasure,
  recordRunner,
  forgetRunners,
  recordSender,
  pause,
  endPause,
  release,
  newRetry,
  paceRetry,
  endRetry,
};

export type OperationName = keyof typeof OPERATIONS;

/** The arguments of an operation, without the database. */
export type OperationArguments<Name extends OperationName> =
  Parameters<(typeof OPERATIONS)[Name]> extends [Statements, ...infer Rest] ? Rest : never;

export type OperationResult<Name extends OperationName> = ReturnType<(typeof OPERATIONS)[Name]>;

/** Writes that keeping and handling depend on: if one meets damage, nothing may be acknowledged. */
export const VITAL: ReadonlySet<OperationName> = new Set(["append", "touch", "renew"]);

export interface Operation {
  readonly name: OperationName;
  readonly args: readonly unknown[];
}

export function runOperation(statements: Statements, { name, args }: Operation): unknown {
  const operation = OPERATIONS[name] as (
    statements: Statements,
    ...args: readonly unknown[]
  ) => unknown;
  return operation(statements, ...args);
}

function append(statements: Statements, given: NewEntry): Appended | undefined {
  const { method, target, body, receivedAt } = given.delivery;
  // from another thread, they are the JSON that is stored
  const headers: unknown = given.delivery.headers;
  const mayBeBlocked = given.lease !== undefined && given.orderKey !== null;
  const entry =
    mayBeBlocked && isBlocked(statements, given) ? { ...given, lease: undefined } : given;
  const seq = mayBePruned(statements, entry)
    ? undefined
    : insertEntry(statements, entry, hash("sha256", body, "hex"));
  if (seq === undefined) return touch(statements, entry.key, receivedAt);
  const insert = "INSERT INTO delivery (seq, method, target, headers, body) VALUES (?, ?, ?, ?, ?)";
  const json = typeof headers === "string" ? headers : JSON.stringify(headers);
  statements.run(insert, seq, method, target, json, body);
  if (entry.problems !== undefined) recordProblems(statements, seq, entry.problems);
  return { seq, duplicate: false, state: entry.state, leased: entry.lease !== undefined };
}

/**
 * In a statement of its own, since hardly any entry has problems and each bound value costs time.
 */
function recordProblems(
  statements: Statements,
  seq: number,
  problems: readonly DataProblem[],
): void {
  statements.run("UPDATE entry SET problems = ? WHERE seq = ?", JSON.stringify(problems), seq);
}

function touch(statements: Statements, key: DedupKey, at: number): Appended | undefined {
  const row = statements.get(
    `UPDATE entry SET duplicates = duplicates + 1, last_seen_at = max(last_seen_at, ?)
     WHERE key_timestamp = ? AND event_id = ? AND source = ? RETURNING seq, state`,
    at,
    key.timestamp,
    encodeText(key.eventId),
    encodeText(key.source),
  );
  if (row === undefined) return undefined;
  return { seq: row.seq as number, duplicate: true, state: row.state as EntryState };
}

function renew(
  statements: Statements,
  leases: readonly { seq: number; lease: string }[],
  until: number,
) {
  const sql = "UPDATE entry SET run_at = ? WHERE seq = ? AND lease = ? AND state = 'running'";
  const lost = leases.filter(({ seq, lease }) => statements.run(sql, until, seq, lease) === 0);
  return lost.map(({ seq }) => seq);
}

const INSERT_ATTEMPT = `INSERT INTO attempt (seq, attempt, handler, started_at, duration_ms, outcome, error, note, failure)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/** Nearly every settlement: one statement, with its runs, and few values, since each takes time. */
function finish(
  statements: Statements,
  { seq, lease, runAt, runs, ordered }: Finish,
  now: number,
): boolean {
  const changed = statements.run(
    `UPDATE entry SET state = 'handled', reason = NULL, run_at = ?, settled_at = ?, finished_handlers = ?
     WHERE seq = ? AND lease = ? AND state = 'running'`,
    runAt,
    now,
    runs,
    seq,
    lease,
  );
  if (changed === 0) return wasSettled(statements, { seq, lease, state: "handled" });
  if (ordered) releaseBlocked(statements, seq);
  return true;
}

function settle(statements: Statements, given: Settlement, now: number): boolean {
  const settlement = given.state === "handled" ? given : unlessDropped(statements, given);
  const { seq, lease, state, reason, runAt, waits } = settlement;
  const settledAt = hasEnded(state) ? now : null;
  const finished = JSON.stringify(settlement.finishedHandlers);
  const uncounted = settlement.uncount === true ? 1 : 0;
  const changed = statements.run(
    `UPDATE entry SET state = ?, reason = ?, run_at = ?, settled_at = ?, finished_handlers = ?,
       attempts = attempts - ?
     WHERE seq = ? AND lease = ? AND state = 'running'`,
    state,
    encodeNullable(reason),
    runAt,
    settledAt,
    finished,
    uncounted,
    seq,
    lease,
  );
  if (changed === 0) return wasSettled(statements, given);
  if (settledAt !== null && settlement.unordered !== true) releaseBlocked(statements, seq);
  if (settlement.problems !== undefined) recordProblems(statements, seq, settlement.problems);
  // In a statement of its own, as problems are.
  if (waits !== undefined)
    statements.run("UPDATE entry SET waits = ? WHERE seq = ?", waitsValue(waits), seq);
  recordRuns(statements, settlement);
  return true;
}

export function recordRuns(
  statements: Statements,
  { seq, records }: Pick<Settlement, "seq" | "records">,
) {
  for (const record of records) {
    const { attempt, handler, startedAt, duration, outcome, error, note, failure } = record;
    const texts = [encodeNullable(error), encodeNullable(note), failure && JSON.stringify(failure)];
    statements.run(
      INSERT_ATTEMPT,
      seq,
      attempt,
      encodeText(handler),
      startedAt,
      duration,
      outcome,
      ...texts,
    );
  }
}

/**
 * Whether this lease ended with this result before, and the caller could not know. The entry keeps
 * its last lease.
 */
function wasSettled(
  statements: Statements,
  settlement: Pick<Settlement, "seq" | "lease" | "state">,
): boolean {
  const sql = "SELECT 1 FROM entry WHERE seq = ? AND lease = ? AND state = ?";
  return statements.get(sql, settlement.seq, settlement.lease, settlement.state) !== undefined;
}

function unlessDropped(statements: Statements, settlement: Settlement): Settlement {
  const sql = `SELECT 1 FROM entry WHERE seq = ? AND lease = ? AND state = 'running' AND reason = '${DROPPED}'`;
  if (statements.get(sql, settlement.seq, settlement.lease) === undefined) return settlement;
  return { ...settlement, state: "dead", reason: DROPPED };
}

function retry(statements: Statements, filter: EntryFilter, now: number): number {
  const { where, values } = filterSql(filter);
  const limit = filter.limit ?? -1;
  return statements.run(
    `UPDATE entry SET state = 'waiting', held_back = 0, reason = NULL, problems = NULL, run_at = ?, attempts = 0,
       settled_at = NULL, waits = NULL
     WHERE seq IN
       (SELECT seq FROM entry WHERE state IN ('dead', 'received') AND ${where} ORDER BY seq DESC LIMIT ?)`,
    now,
    ...values,
    limit,
  );
}

function reschedule(statements: Statements, filter: EntryFilter, runAt: number): number {
  const { where, values } = filterSql(filter);
  return statements.run(
    `UPDATE entry SET run_at = ? WHERE seq IN
       (SELECT seq FROM entry WHERE state IN ('waiting', 'failing') AND ${where} ORDER BY seq DESC LIMIT ?)`,
    runAt,
    ...values,
    filter.limit ?? -1,
  );
}

/** Looks only at entries that are due later, which are few. */
function makeDue(
  statements: Statements,
  which: Pick<EntryFilter, "sources" | "kinds">,
  now: number,
): number {
  const { sources, kinds } = which;
  const { where, values } = filterSql(kinds === undefined ? {} : { kinds });
  const sql = `UPDATE entry SET run_at = ?, reason = NULL, state = ${STATE_WITHOUT_REASON} WHERE source = ? AND ${CLAIMABLE} AND run_at > ?
    AND state = 'waiting' AND reason IN ('${NO_HANDLER}', '${AWAITS_HANDLER}') AND ${where}`;
  let hastened = 0;
  for (const source of sourcesToServe(statements, sources)) {
    hastened += statements.run(sql, now, source, now, ...values);
  }
  return hastened;
}

function drop(statements: Statements, filter: EntryFilter, now: number): number {
  const { where, values } = filterSql(filter);
  const dropped = statements.all(
    `UPDATE entry SET reason = '${DROPPED}', held_back = 0, state = iif(state = 'running', 'running', 'dead'),
       settled_at = iif(state = 'running', NULL, coalesce(settled_at, ?))
     WHERE seq IN (SELECT seq FROM entry WHERE state <> 'handled' AND reason IS NOT '${DROPPED}' AND ${where}
       ORDER BY seq DESC LIMIT ?) RETURNING source, order_key`,
    now,
    ...values,
    filter.limit ?? -1,
  );
  const ordered = new Map(dropped.map((row) => [JSON.stringify([row.source, row.order_key]), row]));
  for (const row of ordered.values()) releaseNext(statements, row);
  return dropped.length;
}
