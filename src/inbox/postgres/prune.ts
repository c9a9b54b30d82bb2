import { setTimeout as delay } from "node:timers/promises";
import { HookporterError } from "../../base/errors.ts";
import { REJECTED } from "../../event/identity.ts";
import { latestDates, stepResult } from "../prune.ts";
import type { PruneRequest, PruneStep, SlimRequest, StepResult } from "../prune-request.ts";
import { encodeText, type Row } from "../rows.ts";
import { ENTRY_WITH_STATE } from "./filter.ts";
import type { Value } from "./session.ts";
import { LONG_TIMEOUT, type Store } from "./store.ts";

/**
 * Milliseconds after the end of a day until what could not be dropped with it is deleted row by
 * row.
 */
export const GRACE = 3_600_000;
/**
 * How often the locks for dropping a day are asked for, and about how many milliseconds lie
 * between.
 */
const TRIES = 4;
const BETWEEN = 1000;
/**
 * Milliseconds after which a transaction that keeps entries is no longer waited for: its statements
 * take at most 5 s.
 */
const LONGEST_WRITE = 30_000;

/** That a row is to be dropped with its day later: the day ends after a time. */
const LATER = (time: string, end: string) =>
  `EXISTS (SELECT FROM @.day WHERE ${time} >= day.first AND ${time} < day.until AND day.until > ${end})`;

const LOOK = `
  SELECT e.seq, e.source, e.received_at, coalesce(d.dated, h.dated) AS dated, e.key_timestamp = ${REJECTED} AS never_ran,
    coalesce(d.state, CASE WHEN h.seq IS NOT NULL THEN 'handled' END) AS ended,
    e.seq = (SELECT max(seq) FROM @.entry) AS newest, ${LATER("e.received_at", "$3::bigint")} AS later
  FROM ${ENTRY_WITH_STATE} WHERE e.seq > $1::bigint ORDER BY e.seq LIMIT $2::int`;

/**
 * Raises the marks. Nothing is deleted until every transaction that may not have seen them has
 * ended: see {@link writersEnd}.
 */
export const MARK = `
  UPDATE @.pruned SET marks = marks || coalesce((
    SELECT jsonb_object_agg(source, greatest(dated, coalesce((marks ->> source)::bigint, dated)))
    FROM json_to_recordset($1::text::json) AS j(source text, dated bigint)), '{}')`;

/** Deletes entries that have still ended so, with all that belongs to them. */
const DELETE = `
  WITH gone AS (
    DELETE FROM @.dead_or_received WHERE seq = ANY ($1::bigint[]) AND state = ANY ($2::text[]) RETURNING seq, key_timestamp, received_at
  ), handled AS (
    DELETE FROM @.handled WHERE seq = ANY ($1::bigint[]) AND 'handled' = ANY ($2::text[]) RETURNING seq, key_timestamp, received_at
  ), ended AS MATERIALIZED (
    SELECT * FROM gone UNION ALL SELECT * FROM handled
  ), entries AS (
    DELETE FROM @.entry USING ended WHERE entry.seq = ended.seq AND entry.key_timestamp = ended.key_timestamp
  ), deliveries AS (
    DELETE FROM @.delivery USING ended WHERE delivery.seq = ended.seq AND delivery.received_at = ended.received_at
  ), attempts AS (
    DELETE FROM @.attempt USING ended WHERE attempt.seq = ended.seq AND attempt.received_at = ended.received_at
  ), repeats AS (
    DELETE FROM @.repeat USING ended WHERE repeat.seq = ended.seq AND repeat.received_at = ended.received_at
  )
  SELECT seq FROM ended`;

/**
 * Deletes ended entries with all that is theirs; the first step drops the oldest days of which
 * nearly all is to go.
 */
export async function pruneStep(
  store: Store,
  request: PruneRequest,
  step: PruneStep,
): Promise<StepResult> {
  const { states, receivedUntil, datedUntil } = request;
  const sources = request.sources?.map(encodeText) ?? null;
  const wholeDays = request.wholeDays === true;
  const values = [states, receivedUntil, datedUntil, sources, wholeDays];
  const drop = "drop_day($1::text[], $2::bigint, $3::bigint, $4::text[], $5::boolean)";
  const dropped = step.cursor === undefined ? await dropDays(store, drop, values) : 0;
  const rows = await store.query(
    LOOK,
    [...from(step), dayEnd(receivedUntil, wholeDays)],
    LONG_TIMEOUT,
  );
  const old = rows.filter(
    ({ received_at: at, later }) => Number(at) <= receivedUntil && later !== true,
  );
  const chosen = old.filter(
    ({ ended, dated, source, newest }) =>
      states.some((state) => state === ended) &&
      Number(dated) <= datedUntil &&
      (sources === null || sources.includes(String(source))) &&
      newest !== true,
  );
  if (chosen.length === 0) return stepResult(rows, old.length, dropped, step);
  const changed = await deleteEntries(store, chosen, request);
  if (changed === undefined) return { changed: dropped, next: undefined };
  return stepResult(rows, old.length, dropped + changed, step);
}

/**
 * Deletes rows, and returns how many; `undefined` if another process prunes, and waiting for it is
 * not worth while.
 */
async function deleteEntries(store: Store, rows: readonly Row[], request: PruneRequest) {
  const { states, wholeDays = false } = request;
  const marks = [...latestDates(rows)].map(([source, dated]) => ({ source, dated }));
  await store.query(MARK, [JSON.stringify(marks)], LONG_TIMEOUT);
  await writersEnd(store);
  return store.transaction(async (query) => {
    // Only one process prunes at a time. Another one is waited for, unless the days' ends are.
    const lock = wholeDays
      ? "pg_try_advisory_xact_lock(%)"
      : "pg_advisory_xact_lock(%) IS NOT NULL";
    const [row] = await query(`SELECT ${lock.replace("%", "hashtext('@.prune')")} AS may`);
    if (row?.may !== true) return undefined;
    return (await query(DELETE, [rows.map(({ seq }) => Number(seq)), states])).length;
  }, LONG_TIMEOUT);
}

/**
 * Waits until all have ended that may keep entries now, since their statements may not see the
 * marks. A statement locks its tables before it looks at any row, so one that has not yet locked
 * `entry` will see them. A lock on the row of `pruned` in each keeping would use up the ids that
 * the whole database has for rows with several lockers.
 */
async function writersEnd(store: Store): Promise<void> {
  const writers = async () => (await store.query(WRITERS)).map(({ writer }) => String(writer));
  let left = await writers();
  for (const until = performance.now() + LONGEST_WRITE; left.length > 0; await delay(10)) {
    if (performance.now() > until) {
      throw new HookporterError(
        "inbox_busy",
        "expected all that keep entries to end soon, got one that goes on: end its transaction, which pg_locks names",
      );
    }
    const now = new Set(await writers());
    left = left.filter((writer) => now.has(writer));
  }
}

const WRITERS = `
  SELECT virtualtransaction AS writer FROM pg_locks
  WHERE relation = '@.entry'::regclass AND mode = 'RowExclusiveLock' AND granted AND pid <> pg_backend_pid()
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

/**
 * Deletes the deliveries of handled entries. The first step also drops the deliveries of the oldest
 * days.
 */
export async function slimStep(
  store: Store,
  request: SlimRequest,
  step: PruneStep,
): Promise<StepResult> {
  const { settledUntil } = request;
  const sources = request.sources?.map(encodeText) ?? null;
  const wholeDays = request.wholeDays === true;
  const drop = "slim_day($1::bigint, $2::text[], $3::boolean)";
  const dropped =
    step.cursor === undefined ? await dropDays(store, drop, [settledUntil, sources, wholeDays]) : 0;
  const rows = await store.query(
    `SELECT p.seq, p.received_at, h.settled_at, h.source, ${LATER("p.received_at", "$3::bigint")} AS later FROM @.delivery p
       LEFT JOIN @.handled h ON h.seq = p.seq AND h.received_at = p.received_at
     WHERE p.seq > $1::bigint ORDER BY p.seq LIMIT $2::int`,
    [...from(step), dayEnd(settledUntil, wholeDays)],
    LONG_TIMEOUT,
  );
  const old = rows.filter(
    ({ received_at: at, later }) => Number(at) <= settledUntil && later !== true,
  );
  const handled = old.filter(
    ({ settled_at: at, source }) =>
      at !== null &&
      Number(at) <= settledUntil &&
      (sources === null || sources.includes(String(source))),
  );
  if (handled.length > 0) {
    const seqs = handled.map(({ seq }) => Number(seq));
    await store.query(
      "DELETE FROM @.delivery WHERE seq = ANY ($1::bigint[])",
      [seqs],
      LONG_TIMEOUT,
    );
  }
  return stepResult(rows, old.length, dropped + handled.length, step);
}

/**
 * Calls a function that drops one day, until it has dropped the last; returns the number of rows.
 * The function waits half a second for its locks, since writers wait behind it meanwhile; then it
 * is called again. If it never gets them, the day is dropped next time.
 */
async function dropDays(store: Store, call: string, values: readonly Value[]): Promise<number> {
  let dropped = 0;
  let tries = 1;
  for (;;) {
    try {
      const [row] = await store.query(`SELECT @.${call} AS dropped`, values, LONG_TIMEOUT);
      const many = Number(row?.dropped ?? -1);
      if (many < 0) return dropped;
      dropped += many;
      tries = 1;
    } catch (thrown) {
      if (!(thrown instanceof HookporterError) || thrown.code !== "inbox_busy") throw thrown;
      if (tries++ === TRIES) return dropped;
      await delay(BETWEEN * (0.5 + Math.random()));
    }
  }
}

/** The parameters that say where a step begins, and how far it looks. */
function from({ cursor, limit }: PruneStep): readonly [number, number] {
  return [Number(cursor ?? 0), limit];
}

/** Rows of days that end later are left to be dropped with their day. */
function dayEnd(until: number, wholeDays: boolean): number {
  return wholeDays ? until - GRACE : Number.MAX_SAFE_INTEGER;
}
