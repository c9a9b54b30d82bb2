import type { Settlement } from "../settlement.ts";
import { DROPPED } from "../target-wait.ts";
import { encodeText } from "../text.ts";
import { LOCK_KEYS_OF, RELEASE_FIRST } from "./order.ts";
import type { Query, Row } from "./session.ts";
import type { Store } from "./store.ts";
import { encodeNullable, waitingFor, waitsValue } from "./values.ts";

/** A settlement, and when it was made. */
export interface Settling {
  readonly settlement: Settlement;
  readonly now: number;
}

const INPUT = `n int, seq bigint, lease text, state text, reason text, problems text, run_at bigint, now bigint,
  finished_handlers text, waits text, waiting_for text[], has_waits boolean, uncounted int`;

/**
 * Ends the leases of a batch; returns those that were ours. What was dropped while it ran ends as dropped, unless it
 * succeeded. Locks in the order in which renewing does.
 */
const SETTLE = `
  WITH input AS MATERIALIZED (
    SELECT * FROM json_to_recordset($1::text::json) AS j(${INPUT})
  ), own AS MATERIALIZED (
    SELECT n, turn.seq, key_timestamp, received_at, dated, source, order_hash, input.lease, input.run_at, now, problems,
      CASE WHEN turn.reason = '${DROPPED}' AND state <> 'done' THEN 'dead' ELSE state END AS state,
      CASE WHEN turn.reason = '${DROPPED}' AND state <> 'done' THEN '${DROPPED}' ELSE input.reason END AS reason,
      attempts - uncounted AS attempts, input.finished_handlers,
      CASE WHEN has_waits THEN input.waits ELSE turn.waits END AS waits,
      CASE WHEN has_waits THEN input.waiting_for ELSE turn.waiting_for END AS waiting_for
    FROM input JOIN @.turn ON turn.seq = input.seq AND turn.lease = input.lease
    ORDER BY turn.seq FOR UPDATE OF turn
  ), gone AS (
    DELETE FROM @.turn USING own WHERE turn.seq = own.seq AND own.state <> 'pending'
  ), again AS (
    UPDATE @.turn SET lease = NULL, settled_lease = own.lease, run_at = own.run_at, attempts = own.attempts, reason = own.reason,
      finished_handlers = own.finished_handlers, waits = own.waits, waiting_for = own.waiting_for
    FROM own WHERE turn.seq = own.seq AND own.state = 'pending'
  ), ended AS (
    INSERT INTO @.done (seq, key_timestamp, received_at, dated, source, reason, settled_at, run_at, attempts, finished_handlers, waits, lease)
    SELECT seq, key_timestamp, received_at, dated, source, reason, now, run_at, attempts, finished_handlers, waits, lease
    FROM own WHERE state = 'done'
  ), failed AS (
    INSERT INTO @.stuck (seq, key_timestamp, received_at, dated, source, order_hash, state, reason, problems, settled_at, run_at, attempts,
      finished_handlers, waits, lease)
    SELECT seq, key_timestamp, received_at, dated, source, order_hash, state, reason, problems, now, run_at, attempts,
      finished_handlers, waits, lease
    FROM own WHERE state IN ('dead', 'unhandled')
  ), records AS (
    INSERT INTO @.attempt (id, seq, received_at, attempt, handler, started_at, duration_ms, outcome, error, note, failure)
    SELECT nextval('@.attempt_id'), r.* FROM (
      SELECT own.seq, own.received_at, attempt, handler, started_at, duration_ms, outcome, error, note, failure
      FROM json_to_recordset($2::text::json) AS j(at int, n int, attempt int, handler text, started_at bigint,
        duration_ms double precision, outcome text, error text, note text, failure text) JOIN own USING (n)
      ORDER BY at OFFSET 0) r
  )
  SELECT n, order_hash FROM own`;

/**
 * Those that were settled before, with this lease and this result: the connection was lost after the commit, and the
 * caller asks again.
 */
const SETTLED_BEFORE = `
  WITH input AS MATERIALIZED (
    SELECT * FROM json_to_recordset($1::text::json) AS j(${INPUT})
  )
  SELECT n FROM input
  WHERE CASE input.state
    WHEN 'pending' THEN EXISTS (SELECT FROM @.turn t WHERE t.seq = input.seq AND t.settled_lease = input.lease)
    WHEN 'done' THEN EXISTS (SELECT FROM @.done t WHERE t.seq = input.seq AND t.lease = input.lease)
    ELSE EXISTS (SELECT FROM @.stuck t WHERE t.seq = input.seq AND t.lease = input.lease AND t.state = input.state) END`;

/** Settles a batch; `false` for each whose lease was lost. Each entry may occur once. */
export async function settleAll(store: Store, batch: readonly Settling[]): Promise<readonly boolean[]> {
  const input = JSON.stringify(batch.map(inputOf));
  const values = [input, JSON.stringify(batch.flatMap(recordsOf).map((record, at) => ({ at, ...record })))];
  const ordered = batch.filter(({ settlement }) => settlement.unordered !== true);
  const rows =
    ordered.length === 0
      ? await store.query(SETTLE, values)
      : await store.transaction((query) => settleInOrder(query, ordered, values));
  const results = batch.map(() => false);
  for (const { n } of rows) results[Number(n)] = true;
  if (rows.length < batch.length) {
    for (const { n } of await store.query(SETTLED_BEFORE, [input])) results[Number(n)] = true;
  }
  return results;
}

async function settleInOrder(
  query: Query,
  ordered: readonly Settling[],
  values: string[],
): Promise<readonly Row[]> {
  const locked = await query(LOCK_KEYS_OF, [ordered.map(({ settlement }) => settlement.seq)]);
  const rows = await query(SETTLE, values);
  if (locked.length > 0) await query(RELEASE_FIRST, [locked.map(({ hash }) => Number(hash))]);
  return rows;
}

function inputOf({ settlement, now }: Settling, n: number) {
  const { seq, lease, state, reason, problems, runAt, finishedHandlers, waits, uncount } = settlement;
  return {
    n,
    seq,
    lease,
    state,
    reason: encodeNullable(reason),
    problems: problems === undefined ? null : JSON.stringify(problems),
    run_at: runAt,
    now,
    finished_handlers: JSON.stringify(finishedHandlers),
    waits: waits === undefined ? null : waitsValue(waits),
    waiting_for: waits === undefined ? null : waitingFor(waits),
    has_waits: waits !== undefined,
    uncounted: uncount === true ? 1 : 0,
  };
}

function recordsOf({ settlement }: Settling, n: number) {
  return settlement.records.map((record) => ({
    n,
    attempt: record.attempt,
    handler: encodeText(record.handler),
    started_at: record.startedAt,
    duration_ms: record.durationMs,
    outcome: record.outcome,
    error: encodeNullable(record.error),
    note: encodeNullable(record.note),
    failure: record.failure === null ? null : JSON.stringify(record.failure),
  }));
}
