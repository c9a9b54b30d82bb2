import type { InsideResult, Progress } from "../inbox.ts";
import { isUneventful, withRuns } from "../inline-runs.ts";
import { encodeNullable, type Row, waitsValue } from "../rows.ts";
import type { Settlement } from "../settlement.ts";
import { DROPPED } from "../target-wait.ts";
import { OWN_TURNS } from "./claim.ts";
import { LOCK_KEYS_OF, RELEASE_FIRST } from "./order.ts";
import type { Query } from "./session.ts";
import type { Store } from "./store.ts";
import { attemptColumns, waitingFor } from "./values.ts";

export interface Settling {
  readonly settlement: Settlement;
  readonly now: number;
}

/** A lease in the row of an entry that is handled, where it is needed only once more, if at all. */
const digest = (lease: string) => `hashtextextended(${lease}, 0)`;

const INPUT = `n int, seq bigint, lease text, state text, reason text, problems text, run_at bigint, now bigint,
  finished_handlers text, waits text, waiting_for text[], has_waits boolean, uncounted int`;

const RECORDS = `records AS (
    INSERT INTO @.attempt (id, seq, attempt, handler, started_at, duration_ms, outcome, error, note, failure)
    SELECT nextval('@.attempt_id'), r.* FROM (
      SELECT own.seq, attempt, handler, started_at, duration_ms, outcome, error, note, failure
      FROM json_to_recordset($2::text::json) AS j(at int, n int, attempt int, handler text, started_at bigint,
        duration_ms double precision, outcome text, error text, note text, failure text) JOIN own USING (n)
      ORDER BY at OFFSET 0) r
  )`;

const ENDED_OTHERWISE = `, again AS (
    UPDATE @.turn SET lease = NULL, settled_lease = own.lease, run_at = own.run_at, attempts = own.attempts, reason = own.reason,
      finished_handlers = own.finished_handlers, waits = own.waits, waiting_for = own.waiting_for
    FROM own WHERE turn.seq = ANY (ARRAY (SELECT seq FROM own WHERE state IN ('waiting', 'failing'))) AND turn.seq = own.seq
  ), failed AS (
    INSERT INTO @.dead_or_received (seq, key_timestamp, received_at, dated, source, order_hash, state, reason, problems, settled_at, run_at, attempts,
      finished_handlers, waits, lease)
    SELECT seq, key_timestamp, received_at, dated, source, order_hash, state, reason, problems, now, run_at, attempts,
      finished_handlers, waits, lease
    FROM own WHERE state IN ('dead', 'received')
  )`;

/**
 * Ends the leases of a batch; returns those that were ours. What was dropped meanwhile ends so,
 * unless it succeeded.
 */
const SETTLING = `
  WITH input AS MATERIALIZED (
    SELECT * FROM json_to_recordset($1::text::json) AS j(${INPUT})
  ), own AS MATERIALIZED (
    SELECT n, turn.seq, key_timestamp, received_at, dated, source, order_hash, input.lease, input.run_at, now, problems,
      CASE WHEN turn.reason = '${DROPPED}' AND state <> 'handled' THEN 'dead' ELSE state END AS state,
      CASE WHEN turn.reason = '${DROPPED}' AND state <> 'handled' THEN '${DROPPED}' ELSE input.reason END AS reason,
      attempts - uncounted AS attempts, input.finished_handlers,
      CASE WHEN has_waits THEN input.waits ELSE turn.waits END AS waits,
      CASE WHEN has_waits THEN input.waiting_for ELSE turn.waiting_for END AS waiting_for
    FROM ${OWN_TURNS}
  ), gone AS (
    DELETE FROM @.turn WHERE seq = ANY (ARRAY (SELECT seq FROM own WHERE state NOT IN ('waiting', 'failing')))
  ), ended AS (
    INSERT INTO @.handled (seq, key_timestamp, received_at, dated, source, reason, settled_at, run_at, attempts, finished_handlers, waits,
      lease_hash)
    SELECT seq, key_timestamp, received_at, dated, source, reason, now, run_at, attempts, finished_handlers, waits, ${digest("lease")}
    FROM own WHERE state = 'handled'
  )${ENDED_OTHERWISE}, ${RECORDS}`;
const SETTLE = `${SETTLING} SELECT n, order_hash FROM own`;

/**
 * The same for a batch of uneventful entries. It is short, since the server plans each statement
 * again.
 */
const SETTLE_UNEVENTFUL = `
  WITH input AS MATERIALIZED (
    SELECT * FROM json_to_recordset($1::text::json)
      AS j(n int, seq bigint, lease text, run_at bigint, now bigint, finished_handlers text)
  ), own AS MATERIALIZED (
    SELECT n, turn.seq, key_timestamp, received_at, dated, source, order_hash, input.lease, input.run_at, now, attempts,
      input.finished_handlers, waits
    FROM ${OWN_TURNS}
  ), gone AS (
    DELETE FROM @.turn WHERE seq = ANY (ARRAY (SELECT seq FROM own))
  ), ended AS (
    INSERT INTO @.handled (seq, key_timestamp, received_at, dated, source, settled_at, run_at, attempts, finished_handlers, waits, lease_hash)
    SELECT seq, key_timestamp, received_at, dated, source, now, run_at, attempts, finished_handlers, waits, ${digest("lease")} FROM own
  )
  SELECT n FROM own`;

/**
 * Until the commit that follows, the row is locked that renewing needs. A client that is cut off
 * before that must not hold up the leases of its process, so the server soon ends its transaction.
 */
const UNTIL_COMMIT = "set_config('idle_in_transaction_session_timeout', '2000', true)";
const SETTLE_INSIDE = `${SETTLING} SELECT n, order_hash, ${UNTIL_COMMIT} FROM own`;

/**
 * Those that were settled before, with this lease and this result: the connection was lost after
 * the commit, and the caller asks again. Without OFFSET, the planner may read a whole table once
 * instead.
 */
const SETTLED_BEFORE = `
  WITH input AS MATERIALIZED (
    SELECT * FROM json_to_recordset($1::text::json) AS j(${INPUT})
  )
  SELECT n FROM input
  WHERE CASE
    WHEN input.state IN ('waiting', 'failing')
      THEN EXISTS (SELECT FROM @.turn t WHERE t.seq = input.seq AND t.settled_lease = input.lease OFFSET 0)
    WHEN input.state = 'handled' THEN EXISTS (SELECT FROM @.handled t WHERE t.seq = input.seq AND t.lease_hash = ${digest("input.lease")} OFFSET 0)
    ELSE EXISTS (SELECT FROM @.dead_or_received t WHERE t.seq = input.seq AND t.lease = input.lease AND t.state = input.state OFFSET 0) END`;

/** Stores which handlers of an entry have finished, if its lease is ours; it stays leased. */
const PROGRESS = `
  WITH input AS MATERIALIZED (
    SELECT * FROM json_to_recordset($1::text::json) AS j(n int, seq bigint, lease text, finished_handlers text)
  ), own AS MATERIALIZED (
    SELECT n, turn.seq, input.finished_handlers
    FROM ${OWN_TURNS}
  ), saved AS (
    UPDATE @.turn SET finished_handlers = own.finished_handlers
    FROM own WHERE turn.seq = ANY (ARRAY (SELECT seq FROM own)) AND turn.seq = own.seq
  ), ${RECORDS}
  SELECT n, ${UNTIL_COMMIT} FROM own`;

/**
 * What a handler left running of an entry, once whatever changes it now has ended: a transaction
 * whose commit was cut off may still be under way.
 */
const STILL_LEASED = `
  SELECT finished_handlers FROM @.turn WHERE seq = $1::bigint AND lease = $2::text FOR UPDATE`;

/**
 * Settles a batch; `false` for each whose lease was lost. Each entry may occur once. Says if others
 * were released.
 */
export async function settleAll(store: Store, batch: readonly Settling[], onReleased: () => void) {
  const isShort = batch.every(({ settlement }) => isUneventful(settlement));
  const [settle, values] = isShort
    ? [SETTLE_UNEVENTFUL, [JSON.stringify(batch.map(uneventfulOf))]]
    : [SETTLE, valuesOf(batch)];
  const ordered = batch.filter(({ settlement }) => settlement.unordered !== true);
  const { rows, releases } =
    ordered.length === 0
      ? { rows: await store.query(settle, values), releases: false }
      : await store.transaction((query) => settleInOrder(query, ordered, values, settle));
  if (releases) onReleased();
  const results = batch.map(() => false);
  for (const { n } of rows) results[Number(n)] = true;
  if (rows.length < batch.length) {
    const input = batch.map(({ settlement: { seq, lease, state } }, n) => ({
      n,
      seq,
      lease,
      state,
    }));
    for (const { n } of await store.query(SETTLED_BEFORE, [JSON.stringify(input)]))
      results[Number(n)] = true;
  }
  return results;
}

/**
 * Stores a result in a handler's transaction; `false` if the lease was lost. Says, before the
 * commit, what `settleAll` does.
 */
export async function storeInside(
  query: Query,
  result: Settlement | Progress,
  now: number,
  onReleased: () => void,
): Promise<boolean> {
  if (result.state !== "running") {
    const batch = [{ settlement: result, now }];
    const values = valuesOf(batch);
    if (result.unordered === true) return (await query(SETTLE_INSIDE, values)).length > 0;
    const { rows, releases } = await settleInOrder(query, batch, values, SETTLE_INSIDE);
    if (releases) onReleased();
    return rows.length > 0;
  }
  const { seq, lease, finishedHandlers } = result;
  const input = [{ n: 0, seq, lease, finished_handlers: JSON.stringify(finishedHandlers) }];
  return (await query(PROGRESS, [JSON.stringify(input), recordsValue([result])])).length > 0;
}

/**
 * Whether a transaction of which only that is unknown committed a result; waits for one that is
 * still under way.
 */
export async function wasStored(
  store: Store,
  result: Settlement | Progress,
): Promise<InsideResult> {
  const { seq, lease, state, finishedHandlers } = result;
  const [row] = await store.query(STILL_LEASED, [seq, lease]);
  if (row !== undefined) {
    const finished: readonly string[] = JSON.parse(String(row.finished_handlers));
    const isStored =
      state === "running" && finishedHandlers.every((name) => finished.includes(name));
    return isStored ? "committed" : "rolled_back";
  }
  if (state === "running") return "refused";
  const input = JSON.stringify([{ n: 0, seq, lease, state }]);
  return (await store.query(SETTLED_BEFORE, [input])).length > 0 ? "committed" : "refused";
}

async function settleInOrder(
  query: Query,
  ordered: readonly Settling[],
  values: readonly string[],
  settle: string,
): Promise<{ rows: readonly Row[]; releases: boolean }> {
  const locked = await query(LOCK_KEYS_OF, [ordered.map(({ settlement }) => settlement.seq)]);
  const rows = await query(settle, values);
  if (locked.length === 0) return { rows, releases: false };
  const released = await query(RELEASE_FIRST, [locked.map(({ hash }) => Number(hash))]);
  return { rows, releases: released.length > 0 };
}

function valuesOf(batch: readonly Settling[]): readonly string[] {
  return [
    JSON.stringify(batch.map(inputOf)),
    recordsValue(batch.map(({ settlement }) => settlement)),
  ];
}

function recordsValue(results: readonly (Settlement | Progress)[]): string {
  const rows = results.flatMap((result, n) => {
    // Those of an uneventful entry are within it.
    if (result.state !== "running" && isUneventful(result)) return [];
    return result.records.map((record) => ({ n, ...attemptColumns(record) }));
  });
  return JSON.stringify(rows.map((record, at) => ({ at, ...record })));
}

/** A row of a batch of which there is nothing to say. */
function uneventfulOf({ settlement, now }: Settling, n: number) {
  const { seq, lease, runAt } = settlement;
  return { n, seq, lease, run_at: runAt, now, finished_handlers: withRuns(settlement.records) };
}

/** A row of a batch. What is not given is NULL, and `undefined` takes no room in JSON. */
function inputOf({ settlement, now }: Settling, n: number) {
  const { state, reason, problems, finishedHandlers, waits, uncount } = settlement;
  return {
    ...uneventfulOf({ settlement, now }, n),
    state,
    reason: encodeNullable(reason) ?? undefined,
    problems: problems === undefined ? undefined : JSON.stringify(problems),
    ...(!isUneventful(settlement) && { finished_handlers: JSON.stringify(finishedHandlers) }),
    ...(waits !== undefined && {
      waits: waitsValue(waits),
      waiting_for: waitingFor(waits),
      has_waits: true,
    }),
    uncounted: uncount === true ? 1 : 0,
  };
}
