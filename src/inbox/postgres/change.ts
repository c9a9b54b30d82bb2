import type { EntryFilter } from "../entry-filter.ts";
import { PACED, type PaceStep } from "../pause.ts";
import { AWAITS_HANDLER, NO_HANDLER } from "../runner.ts";
import { DROPPED } from "../target-wait.ts";
import { sourcesOf } from "./claim.ts";
import { ENTRY_WITH_STATE, filterSql, IS_DROPPED, kindsSql } from "./filter.ts";
import { HOLD_BACK_OTHERS, LOCK_KEYS_OF, RELEASE_FIRST } from "./order.ts";
import type { Value } from "./session.ts";
import { LONG_TIMEOUT, type Store } from "./store.ts";

/** Entries per transaction: a claim may have to wait for one. */
const STEP = 1000;

/** Which entries an operation changes, besides those that a filter selects. */
const DEAD_OR_RECEIVED = "d.seq IS NOT NULL";
const NOT_RUNNING = "t.lease IS NULL AND t.seq IS NOT NULL";

/** Entries by their place in $1, from a time on, an interval apart. */
const DUE =
  "$2::bigint + floor($3::float8 * (array_position($1::bigint[], seq) - 1)::float8)::bigint";

const RETRY = `
  WITH again AS (
    DELETE FROM @.dead_or_received WHERE seq = ANY ($1::bigint[]) RETURNING *
  ), turns AS (
    INSERT INTO @.turn (seq, key_timestamp, received_at, dated, source, order_hash, behind, run_at, attempts, finished_handlers, reason)
    SELECT seq, key_timestamp, received_at, dated, source, order_hash, false, ${DUE}, 0, finished_handlers, $4::text FROM again
  )
  SELECT seq FROM again`;

const RESCHEDULE = `
  UPDATE @.turn SET run_at = $2::bigint WHERE seq = ANY ($1::bigint[]) AND lease IS NULL RETURNING seq`;

const PACE = `
  UPDATE @.turn SET run_at = ${DUE}, reason = $4::text WHERE seq = ANY ($1::bigint[]) AND lease IS NULL RETURNING seq`;

const DROP = `
  WITH waiting AS (
    DELETE FROM @.turn WHERE seq = ANY ($1::bigint[]) AND lease IS NULL RETURNING *
  ), ended AS (
    INSERT INTO @.dead_or_received (seq, key_timestamp, received_at, dated, source, order_hash, state, reason, settled_at, run_at, attempts,
      finished_handlers, waits)
    SELECT seq, key_timestamp, received_at, dated, source, order_hash, 'dead', '${DROPPED}', $2::bigint, run_at, attempts,
      finished_handlers, waits
    FROM waiting
  ), running AS (
    UPDATE @.turn SET reason = '${DROPPED}'
    WHERE seq = ANY ($1::bigint[]) AND lease IS NOT NULL AND reason IS DISTINCT FROM '${DROPPED}' RETURNING seq
  ), dead_or_received AS (
    UPDATE @.dead_or_received SET state = 'dead', reason = '${DROPPED}'
    WHERE seq = ANY ($1::bigint[]) AND reason IS DISTINCT FROM '${DROPPED}' RETURNING seq
  )
  SELECT seq FROM waiting UNION ALL SELECT seq FROM running UNION ALL SELECT seq FROM dead_or_received`;

/** Makes dead and received entries wait again; returns how many. */
export function retry(store: Store, filter: EntryFilter, now: number): Promise<number> {
  return change(store, filter, {
    which: DEAD_OR_RECEIVED,
    sql: RETRY,
    after: [HOLD_BACK_OTHERS, RELEASE_FIRST],
    now,
    values: [0, null],
  });
}

export async function paceRetry(store: Store, { id, interval, seqs, from }: PaceStep) {
  const values = [seqs, Math.round(from), interval, PACED + id];
  // Waiting ones first, since those that are retried wait too.
  return changeStep(store, seqs, [PACE, RETRY], values, [HOLD_BACK_OTHERS, RELEASE_FIRST]);
}

export function reschedule(store: Store, filter: EntryFilter, runAt: number): Promise<number> {
  return change(store, filter, { which: NOT_RUNNING, sql: RESCHEDULE, after: [], now: runAt });
}

const HASTEN = `
  UPDATE @.turn SET run_at = $2::bigint, reason = NULL FROM @.entry e
  WHERE turn.source = ANY ($1::text[]) AND NOT behind AND run_at > $2::bigint AND lease IS NULL
    AND turn.reason IN ('${NO_HANDLER}', '${AWAITS_HANDLER}') AND e.seq = turn.seq`;

export async function makeDue(
  store: Store,
  which: Pick<EntryFilter, "sources" | "kinds">,
  now: number,
) {
  const { sources, kinds } = which;
  const served = await sourcesOf(store, sources);
  const values: Value[] = [served, now];
  const ofKinds = kinds === undefined ? "true" : kindsSql(kinds, values);
  const rows = await store.query(`${HASTEN} AND ${ofKinds} RETURNING turn.seq`, values);
  return rows.length;
}

export function drop(store: Store, filter: EntryFilter, now: number): Promise<number> {
  return change(store, filter, {
    which: `h.seq IS NULL AND NOT ${IS_DROPPED}`,
    sql: DROP,
    after: [RELEASE_FIRST],
    now,
  });
}

interface Change {
  readonly which: string;
  readonly sql: string;
  /** What to run for the order keys of the entries, which are locked for it. */
  readonly after: readonly string[];
  readonly now: number;
  /** What the statement needs besides the entries and the time. Default: nothing. */
  readonly values?: readonly Value[];
}

/** Changes the entries that a filter selects now, in steps; returns how many were changed. */
async function change(store: Store, filter: EntryFilter, how: Change): Promise<number> {
  const { which, sql, after, now, values: more = [] } = how;
  const { where, values } = filterSql(filter);
  const found = await store.query(
    `SELECT e.seq FROM ${ENTRY_WITH_STATE} WHERE ${which} AND ${where} ORDER BY e.seq DESC LIMIT $${values.length + 1}::bigint`,
    [...values, filter.limit ?? null],
    LONG_TIMEOUT,
  );
  const seqs = found.map(({ seq }) => Number(seq)).reverse();
  let changed = 0;
  for (let at = 0; at < seqs.length; at += STEP) {
    const step = seqs.slice(at, at + STEP);
    changed += await changeStep(store, step, [sql], [step, now, ...more], after);
  }
  return changed;
}

/**
 * Runs statements, and others after them for the order keys of the entries; returns how many were
 * changed.
 */
function changeStep(
  store: Store,
  seqs: readonly number[],
  statements: readonly string[],
  values: readonly Value[],
  after: readonly string[],
): Promise<number> {
  return store.transaction(async (query) => {
    const keys = after.length === 0 ? [] : await query(LOCK_KEYS_OF, [seqs]);
    let changed = 0;
    for (const sql of statements) changed += (await query(sql, values)).length;
    const hashes = keys.map(({ hash }) => Number(hash));
    if (hashes.length > 0) for (const next of after) await query(next, [hashes]);
    return changed;
  });
}
