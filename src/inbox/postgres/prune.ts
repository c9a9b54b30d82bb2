import { setTimeout as delay } from "node:timers/promises";
import { HookporterError } from "../../base/errors.ts";
import { REJECTED } from "../../event/identity.ts";
import { latestDates, stepResult } from "../prune.ts";
import type { PruneRequest, PruneStep, SlimRequest, StepResult } from "../prune-request.ts";
import { encodeText, type Row } from "../rows.ts";
import { ENTRY_WITH_STATE } from "./filter.ts";
import { LONG_TIMEOUT, type Store } from "./store.ts";

/**
 * Milliseconds after which a transaction that keeps entries is no longer waited for: its statements
 * take at most 5 s.
 */
const LONGEST_WRITE = 30_000;
/** Maximum milliseconds that pruning rests after a step. */
const LONGEST_REST = 1000;

const LOOK = `
  SELECT e.seq, e.source, e.received_at, coalesce(d.dated, h.dated) AS dated, e.key_timestamp = ${REJECTED} AS never_ran,
    coalesce(d.state, CASE WHEN h.seq IS NOT NULL THEN 'handled' END) AS ended,
    e.seq = (SELECT max(seq) FROM @.entry) AS newest
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
    DELETE FROM @.dead_or_received WHERE seq = ANY ($1::bigint[]) AND state = ANY ($2::text[]) RETURNING seq
  ), handled AS (
    DELETE FROM @.handled WHERE seq = ANY ($1::bigint[]) AND 'handled' = ANY ($2::text[]) RETURNING seq
  ), ended AS MATERIALIZED (
    SELECT seq FROM gone UNION ALL SELECT seq FROM handled
  ), entries AS (
    DELETE FROM @.entry WHERE seq = ANY (ARRAY (SELECT seq FROM ended))
  ), deliveries AS (
    DELETE FROM @.delivery WHERE seq = ANY (ARRAY (SELECT seq FROM ended))
  ), attempts AS (
    DELETE FROM @.attempt WHERE seq = ANY (ARRAY (SELECT seq FROM ended))
  ), repeats AS (
    DELETE FROM @.repeat WHERE seq = ANY (ARRAY (SELECT seq FROM ended))
  )
  SELECT seq FROM ended`;

/** Deletes ended entries with all that is theirs. */
export function pruneStep(store: Store, request: PruneRequest, step: PruneStep) {
  return thenRest(() => prune(store, request, step));
}

/** Deletes the deliveries of handled entries. */
export function slimStep(store: Store, request: SlimRequest, step: PruneStep) {
  return thenRest(() => slim(store, request, step));
}

/** After a step that changed something, rests as long: receivers need the server, too. */
async function thenRest(step: () => Promise<StepResult>): Promise<StepResult> {
  const start = performance.now();
  const result = await step();
  if (result.changed > 0) await delay(Math.min(LONGEST_REST, performance.now() - start));
  return result;
}

async function prune(store: Store, request: PruneRequest, step: PruneStep): Promise<StepResult> {
  const { states, receivedUntil, datedUntil } = request;
  const sources = request.sources?.map(encodeText);
  const rows = await store.query(LOOK, [Number(step.cursor ?? 0), step.limit], LONG_TIMEOUT);
  const old = rows.filter((row) => Number(row.received_at) <= receivedUntil);
  const chosen = old.filter(
    ({ ended, dated, source, newest }) =>
      states.some((state) => state === ended) &&
      Number(dated) <= datedUntil &&
      (sources === undefined || sources.includes(String(source))) &&
      newest !== true,
  );
  const pruned = chosen.length === 0 ? 0 : await deleteEntries(store, chosen, states);
  return stepResult(rows, old.length, pruned, step);
}

/** Deletes rows, and returns how many. */
async function deleteEntries(
  store: Store,
  rows: readonly Row[],
  states: PruneRequest["states"],
): Promise<number> {
  const marks = [...latestDates(rows)].map(([source, dated]) => ({ source, dated }));
  await store.query(MARK, [JSON.stringify(marks)], LONG_TIMEOUT);
  await writersEnd(store);
  const deleted = await store.transaction(async (query) => {
    // Only one process prunes at a time.
    await query("SELECT pg_advisory_xact_lock(hashtext('@.prune'))");
    return query(DELETE, [rows.map(({ seq }) => Number(seq)), states]);
  }, LONG_TIMEOUT);
  return deleted.length;
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
  WHERE relation = '@.entry'::regclass::oid AND mode = 'RowExclusiveLock' AND granted AND pid <> pg_backend_pid()
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

async function slim(store: Store, request: SlimRequest, step: PruneStep): Promise<StepResult> {
  const { settledUntil } = request;
  const sources = request.sources?.map(encodeText);
  const rows = await store.query(DELIVERIES, [Number(step.cursor ?? 0), step.limit], LONG_TIMEOUT);
  const old = rows.filter((row) => Number(row.received_at) <= settledUntil);
  const handled = old.filter(
    ({ settled_at: at, source }) =>
      at !== null &&
      Number(at) <= settledUntil &&
      (sources === undefined || sources.includes(String(source))),
  );
  if (handled.length > 0) {
    const seqs = handled.map(({ seq }) => Number(seq));
    await store.query(
      "DELETE FROM @.delivery WHERE seq = ANY ($1::bigint[])",
      [seqs],
      LONG_TIMEOUT,
    );
  }
  return stepResult(rows, old.length, handled.length, step);
}

const DELIVERIES = `
  SELECT p.seq, p.received_at, h.settled_at, h.source
  FROM @.delivery p LEFT JOIN @.handled h ON h.seq = p.seq
  WHERE p.seq > $1::bigint ORDER BY p.seq LIMIT $2::int`;
