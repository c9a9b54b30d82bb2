import { REJECTED } from "../../event/identity.ts";
import type { PruneRequest, SlimRequest, Step, StepResult } from "../prune-request.ts";
import { encodeText } from "../text.ts";
import { ENTRY_WITH_STATE } from "./filter.ts";
import type { Row } from "./session.ts";
import { LONG_TIMEOUT, type Store } from "./store.ts";

const LOOK = `
  SELECT e.seq, e.source, e.received_at, coalesce(s.dated, d.dated) AS dated, e.key_timestamp = ${REJECTED} AS never_ran,
    coalesce(s.state, CASE WHEN d.seq IS NOT NULL THEN 'done' END) AS ended,
    e.seq = (SELECT max(seq) FROM @.entry) AS newest
  FROM ${ENTRY_WITH_STATE} WHERE e.seq > $1::bigint ORDER BY e.seq LIMIT $2::int`;

/** Raises the marks. Waits for the writers that have read them, and lets no other read them before the commit. */
export const MARK = `
  UPDATE @.pruned SET marks = marks || coalesce((
    SELECT jsonb_object_agg(source, greatest(dated, coalesce((marks ->> source)::bigint, dated)))
    FROM json_to_recordset($1::text::json) AS j(source text, dated bigint)), '{}')`;

/** Deletes entries that have still ended so, with all that belongs to them. */
const DELETE = `
  WITH gone AS (
    DELETE FROM @.stuck WHERE seq = ANY ($1::bigint[]) AND state = ANY ($2::text[]) RETURNING seq, key_timestamp, received_at
  ), done AS (
    DELETE FROM @.done WHERE seq = ANY ($1::bigint[]) AND 'done' = ANY ($2::text[]) RETURNING seq, key_timestamp, received_at
  ), ended AS MATERIALIZED (
    SELECT * FROM gone UNION ALL SELECT * FROM done
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
 * Deletes ended entries with all that belongs to them. The first step also drops the oldest days, as long as nearly all
 * of their entries are to be deleted.
 */
export async function pruneStep(store: Store, request: PruneRequest, step: Step): Promise<StepResult> {
  const { states, receivedUntil, datedUntil } = request;
  const sources = request.sources?.map(encodeText) ?? null;
  const dropped =
    step.cursor !== undefined
      ? 0
      : await dropDays(store, "drop_day($1::text[], $2::bigint, $3::bigint, $4::text[])", [
          states,
          receivedUntil,
          datedUntil,
          sources,
        ]);
  const rows = await store.query(LOOK, [Number(step.cursor ?? 0), step.limit], LONG_TIMEOUT);
  const old = rows.filter(({ received_at: at }) => Number(at) <= receivedUntil);
  const chosen = old.filter(
    ({ ended, dated, source, newest }) =>
      states.some((state) => state === ended) &&
      Number(dated) <= datedUntil &&
      (sources === null || sources.includes(String(source))) &&
      newest !== true,
  );
  const changed = chosen.length === 0 ? 0 : await deleteEntries(store, chosen, states);
  return result(rows, old.length, dropped + changed, step);
}

function deleteEntries(store: Store, rows: readonly Row[], states: readonly string[]): Promise<number> {
  const latest = new Map<string, number>();
  for (const { source, dated, never_ran } of rows) {
    if (never_ran === true) continue;
    latest.set(String(source), Math.max(latest.get(String(source)) ?? -Infinity, Number(dated)));
  }
  const marks = [...latest].map(([source, dated]) => ({ source, dated }));
  return store.transaction(async (query) => {
    await query(MARK, [JSON.stringify(marks)]);
    return (await query(DELETE, [rows.map(({ seq }) => Number(seq)), states])).length;
  }, LONG_TIMEOUT);
}

/** Deletes the deliveries of done entries. The first step also drops the deliveries of the oldest days. */
export async function slimStep(store: Store, request: SlimRequest, step: Step): Promise<StepResult> {
  const { settledUntil } = request;
  const sources = request.sources?.map(encodeText) ?? null;
  const dropped =
    step.cursor !== undefined
      ? 0
      : await dropDays(store, "slim_day($1::bigint, $2::text[])", [settledUntil, sources]);
  const rows = await store.query(
    `SELECT p.seq, p.received_at, d.settled_at, d.source FROM @.delivery p
       LEFT JOIN @.done d ON d.seq = p.seq AND d.received_at = p.received_at
     WHERE p.seq > $1::bigint ORDER BY p.seq LIMIT $2::int`,
    [Number(step.cursor ?? 0), step.limit],
    LONG_TIMEOUT,
  );
  const old = rows.filter(({ received_at: at }) => Number(at) <= settledUntil);
  const done = old.filter(
    ({ settled_at: at, source }) =>
      at !== null && Number(at) <= settledUntil && (sources === null || sources.includes(String(source))),
  );
  if (done.length > 0) {
    const seqs = done.map(({ seq }) => Number(seq));
    await store.query("DELETE FROM @.delivery WHERE seq = ANY ($1::bigint[])", [seqs], LONG_TIMEOUT);
  }
  return result(rows, old.length, dropped + done.length, step);
}

/** Calls a function that drops one day, until it has dropped the last; returns the number of rows. */
async function dropDays(store: Store, call: string, values: Parameters<Store["query"]>[1]): Promise<number> {
  for (let dropped = 0; ; ) {
    const [row] = await store.query(`SELECT @.${call} AS dropped`, values, LONG_TIMEOUT);
    const many = Number(row?.dropped ?? -1);
    if (many < 0) return dropped;
    dropped += many;
  }
}

/** Entries are in order of arrival, so if all of a step are too young the rest are too. */
function result(rows: readonly Row[], old: number, changed: number, { limit }: Step): StepResult {
  return { changed, next: rows.length < limit || old === 0 ? undefined : String(rows.at(-1)?.seq) };
}
