import type { Delivery } from "../../event/delivery.ts";
import type { AttemptRecord } from "../attempt-record.ts";
import { type CountFilter, type Counts, noCounts } from "../counts.ts";
import type { Entry } from "../entry.ts";
import type { EntryFilter } from "../entry-filter.ts";
import type { EntryState } from "../entry-state.ts";
import type { BacklogRequest } from "../inbox.ts";
import { inlineRuns } from "../inline-runs.ts";
import { FAILURE_START, type OutlineRequest } from "../outline.ts";
import { toOutlines } from "../outline-rows.ts";
import { encodeText, type Row, toAttempt, toEntry, toTargetCounts } from "../rows.ts";
import { DROPPED } from "../target-wait.ts";
import { ENTRY_WITH_STATE, filterSql, STATE, STATE_IN_TURN } from "./filter.ts";
import { LONG_TIMEOUT, type Store } from "./store.ts";
import { toDelivery } from "./values.ts";

/** The fields of an entry, from the tables of {@link ENTRY_WITH_STATE} and `repeat`. */
export const ENTRY_COLUMNS = `e.*, coalesce(t.reason, d.reason, h.reason) AS reason, d.problems,
  coalesce(t.run_at, d.run_at, h.run_at) AS run_at, coalesce(t.attempts, d.attempts, h.attempts) AS attempts,
  coalesce(r.duplicates, 0) AS duplicates, greatest(e.received_at, r.last_seen_at) AS last_seen_at,
  coalesce(d.settled_at, h.settled_at) AS settled_at,
  coalesce(t.finished_handlers, d.finished_handlers, h.finished_handlers) AS finished_handlers,
  coalesce(t.waits, d.waits, h.waits) AS waits,
  ${STATE} AS state`;

export async function listEntries(store: Store, filter: EntryFilter): Promise<readonly Entry[]> {
  const { where, values } = filterSql(filter);
  const rows = await store.query(
    `SELECT ${ENTRY_COLUMNS} FROM ${ENTRY_WITH_STATE}
       LEFT JOIN @.repeat r ON r.seq = e.seq
     WHERE ${where} ORDER BY e.seq DESC LIMIT $${values.length + 1}::bigint`,
    [...values, filter.limit ?? null],
    LONG_TIMEOUT,
  );
  return rows.map(toEntry).reverse();
}

export async function deliveryOfEntry(store: Store, seq: number): Promise<Delivery | undefined> {
  const [row] = await store.query(
    "SELECT method, target, headers, body, received_at FROM @.delivery WHERE seq = $1::bigint",
    [seq],
  );
  return row === undefined ? undefined : toDelivery(row);
}

export async function attemptsOfEntry(
  store: Store,
  seq: number,
): Promise<readonly AttemptRecord[]> {
  const rows = await store.query("SELECT * FROM @.attempt WHERE seq = $1::bigint ORDER BY id", [
    seq,
  ]);
  const ended = await store.query(
    "SELECT finished_handlers FROM @.handled WHERE seq = $1::bigint",
    [seq],
  );
  return [...rows.map(toAttempt), ...ended.flatMap((row) => inlineRuns(row.finished_handlers))];
}

/** The runs of the last attempts, and the beginnings of bodies. */
export async function outlineEntries(store: Store, request: OutlineRequest) {
  const { entries, bodyBytes } = request;
  if (entries.length === 0) return [];
  const seqs = entries.map(({ seq }) => seq);
  const runs = await store.query(
    `SELECT a.seq, a.attempt, a.handler, a.started_at, a.duration_ms, a.outcome, a.error, left(a.failure, ${FAILURE_START}) AS place
     FROM ROWS FROM (unnest($1::bigint[]), unnest($2::int[])) AS of(seq, attempts)
     JOIN @.attempt a ON a.seq = of.seq AND a.attempt >= of.attempts
     ORDER BY a.seq, a.id`,
    [seqs, entries.map(({ attempts }) => attempts)],
  );
  const finished = await store.query(
    "SELECT seq, finished_handlers FROM @.handled WHERE seq = ANY ($1::bigint[])",
    [seqs],
  );
  const starts = await store.query(
    `SELECT seq, substring(body FROM 1 FOR $2::int) AS start FROM @.delivery
     WHERE seq = ANY ($1::bigint[])`,
    [seqs, bodyBytes],
  );
  return toOutlines(request, { runs, finished, starts });
}

/**
 * Handled entries from which their number is reckoned from PostgreSQL's statistics and the table's
 * size, as the planner does: counting them takes too long.
 */
const COUNTED = 1_000_000;

const HANDLED = `
  SELECT CASE WHEN relpages > 0 THEN
      (pg_relation_size(oid) / current_setting('block_size')::bigint)::float8 * reltuples::float8 / relpages::float8
      ELSE 0 END AS handled
  FROM pg_class WHERE oid = '@.handled'::regclass::oid`;

/** The number of entries in each state. */
export async function countByState(store: Store, filter: CountFilter = {}): Promise<Counts> {
  const counts = noCounts();
  const add = (rows: readonly Row[]) => {
    for (const { state, n, dropped = 0 } of rows) {
      counts[state as EntryState] += Number(n);
      if (Number(dropped) > 0) counts.dropped = Number(dropped);
    }
  };
  if (Object.values(filter).some((condition) => condition !== undefined)) {
    const { where, values } = filterSql(filter);
    const numbers = `count(*) AS n, count(*) FILTER (WHERE d.state = 'dead' AND d.reason = '${DROPPED}') AS dropped`;
    const sql = `SELECT ${STATE} AS state, ${numbers} FROM ${ENTRY_WITH_STATE} WHERE ${where} GROUP BY 1`;
    add(await store.query(sql, values, LONG_TIMEOUT));
    return counts;
  }
  const reckoned = Math.round(await store.number(HANDLED));
  const isReckoned = reckoned > COUNTED;
  const rows = await store.query(
    `SELECT ${STATE_IN_TURN} AS state, count(*) AS n, 0 AS dropped FROM @.turn t GROUP BY 1
     UNION ALL SELECT state, count(*), count(*) FILTER (WHERE state = 'dead' AND reason = '${DROPPED}') FROM @.dead_or_received GROUP BY 1
     UNION ALL SELECT 'handled', ${isReckoned ? reckoned : "(SELECT count(*) FROM @.handled)"}, 0`,
    [],
    LONG_TIMEOUT,
  );
  add(rows);
  return isReckoned ? { ...counts, handledIsEstimate: true } : counts;
}

/** The size of all tables and indexes. How much disk is left, only the server's owner can tell. */
export async function bytesOfSchema(store: Store): Promise<number> {
  return store.number(`SELECT sum(pg_total_relation_size(oid)) FROM pg_class
    WHERE relkind = 'r' AND relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = '@.handled'::regclass::oid)`);
}

export async function countByTarget(store: Store, sources: readonly string[] | undefined) {
  const rows = await store.query(
    `SELECT target, count(*) AS entries FROM @.turn, unnest(waiting_for) AS w(target)
     WHERE waiting_for IS NOT NULL AND ($1::text[] IS NULL OR source = ANY ($1::text[])) GROUP BY target`,
    [sources?.map(encodeText) ?? null],
  );
  return toTargetCounts(rows);
}

export async function countBacklog(
  store: Store,
  { sources, limit }: BacklogRequest,
): Promise<number> {
  const sql =
    "SELECT count(*) FROM (SELECT FROM @.turn WHERE source = ANY ($1::text[]) LIMIT $2::bigint) x";
  return store.number(sql, [sources.map(encodeText), limit]);
}
