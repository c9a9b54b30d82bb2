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
import { spanOf, toDelivery } from "./values.ts";

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
       LEFT JOIN @.repeat r ON r.seq = e.seq AND r.received_at = e.received_at
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

/**
 * The runs of the last attempts, and the beginnings of bodies. Only the days on which the entries
 * were received are read.
 */
export async function outlineEntries(store: Store, request: OutlineRequest) {
  const { entries, bodyBytes } = request;
  if (entries.length === 0) return [];
  const seqs = entries.map(({ seq }) => seq);
  const [from, to] = spanOf(entries.map(({ receivedAt }) => receivedAt));
  const runs = await store.query(
    `SELECT a.seq, a.attempt, a.handler, a.started_at, a.duration_ms, a.outcome, a.error, left(a.failure, ${FAILURE_START}) AS place
     FROM unnest($1::bigint[], $2::int[]) AS of(seq, attempts)
     JOIN @.attempt a ON a.seq = of.seq AND a.attempt >= of.attempts AND a.received_at BETWEEN $3::bigint AND $4::bigint
     ORDER BY a.seq, a.id`,
    [seqs, entries.map(({ attempts }) => attempts), from, to],
  );
  const finished = await store.query(
    `SELECT seq, finished_handlers FROM @.handled
     WHERE seq = ANY ($1::bigint[]) AND received_at BETWEEN $2::bigint AND $3::bigint`,
    [seqs, from, to],
  );
  const starts = await store.query(
    `SELECT seq, substring(body FROM 1 FOR $2::int) AS start FROM @.delivery
     WHERE seq = ANY ($1::bigint[]) AND received_at BETWEEN $3::bigint AND $4::bigint`,
    [seqs, bodyBytes, from, to],
  );
  return toOutlines(request, { runs, finished, starts });
}

/**
 * Rows of a day from which their number is what PostgreSQL's statistics say: counting them takes
 * too long.
 */
const COUNTED = 100_000;
const DAY_MS = 86_400_000;

/**
 * The number of entries in each state. Reads days through their table, since a user may have rights
 * on that alone.
 */
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
  const large = await store.query(
    `SELECT first, until, c.reltuples AS rows FROM @.day JOIN pg_class c ON c.relname = 'handled_' || first / ${DAY_MS}
     WHERE c.reltuples > ${COUNTED} AND c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = '@.handled'::regclass)`,
  );
  const others = large.map(
    ({ first, until }) => `(received_at < ${Number(first)} OR received_at >= ${Number(until)})`,
  );
  const rows = await store.query(
    `SELECT ${STATE_IN_TURN} AS state, count(*) AS n, 0 AS dropped FROM @.turn t GROUP BY 1
     UNION ALL SELECT state, count(*), count(*) FILTER (WHERE state = 'dead' AND reason = '${DROPPED}') FROM @.dead_or_received GROUP BY 1
     UNION ALL SELECT 'handled', count(*), 0 FROM @.handled WHERE ${["true", ...others].join(" AND ")}`,
    [],
    LONG_TIMEOUT,
  );
  add(rows);
  for (const { rows: estimate } of large) counts.handled += Math.round(Number(estimate));
  return large.length === 0 ? counts : { ...counts, handledIsEstimate: true };
}

/** The size of all tables and indexes. How much disk is left, only the server's owner can tell. */
export async function bytesOfSchema(store: Store): Promise<number> {
  return store.number(`SELECT sum(pg_total_relation_size(oid)) FROM pg_class
    WHERE relkind = 'r' AND relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = '@.handled'::regclass)`);
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
