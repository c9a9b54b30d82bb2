import { hash } from "../../base/package/builtins.ts";
import { noDelivery } from "../../event/delivery.ts";
import type { ClaimedEntry, ClaimRequest, DueRequest } from "../claim.ts";
import { encodeText, hex, type Row, toClaimed } from "../rows.ts";
import type { Settlement } from "../settlement.ts";
import { DROPPED } from "../target-wait.ts";
import { isOutage } from "./errors.ts";
import {
  ANY_PAUSED,
  NOT_HELD,
  notPausedTarget,
  PACED_UNTIL,
  PAUSED_RUNS,
  servedOf,
  toPausedRuns,
} from "./pause.ts";
import type { Value } from "./session.ts";
import type { Store } from "./store.ts";
import { toDelivery } from "./values.ts";

/**
 * Jumps from one source to the next in the index of what can be claimed: fast for any number of
 * entries.
 */
const WAITING_SOURCES = `
  WITH RECURSIVE found (source) AS (
    (SELECT source FROM @.turn WHERE NOT behind ORDER BY source LIMIT 1)
    UNION ALL
    SELECT (SELECT source FROM @.turn WHERE NOT behind AND turn.source > found.source ORDER BY source LIMIT 1)
    FROM found WHERE found.source IS NOT NULL
  ) SELECT source FROM found WHERE source IS NOT NULL`;

/** That no earlier dead letter of the same order key holds an entry back. */
const NOT_BLOCKED = `(order_hash IS NULL OR NOT EXISTS (SELECT FROM @.dead_or_received earlier WHERE earlier.order_hash = turn.order_hash
    AND earlier.state = 'dead' AND earlier.seq < turn.seq AND earlier.reason IS DISTINCT FROM '${DROPPED}'))`;

/**
 * That an entry has none of some kinds, which are left to other processes. Without OFFSET, the
 * planner may read all entries of those kinds once instead.
 */
const notOfKinds = (kinds: string) => `(cardinality(${kinds}) = 0 OR NOT EXISTS (
    SELECT FROM @.entry kept WHERE kept.seq = turn.seq
      AND kept.kind = ANY (${kinds}) OFFSET 0))`;

/** The sources $1 that are not paused. */
const SERVED = `served AS MATERIALIZED (SELECT served FROM ${servedOf("$1::text[]")})`;

/** That an entry is not one of $2, and is held back by nothing: if $3, by no dead letter either. */
const FREE = `NOT behind AND seq <> ALL ($2::bigint[]) AND (NOT $3::boolean OR ${NOT_BLOCKED}) ${NOT_HELD}`;

/** Leases what was chosen, until $5 and with tokens that begin with $4. */
const LEASED = `leased AS (
    UPDATE @.turn SET lease = $4::text || gen_random_uuid()::text, run_at = $5::bigint, attempts = attempts + 1
    WHERE seq = ANY (ARRAY (SELECT seq FROM chosen))
    RETURNING seq, key_timestamp, received_at, source, lease, attempts, reason, finished_handlers, waits
  )
  SELECT leased.*, chosen.run_at, ${PAUSED_RUNS}
  FROM leased JOIN chosen USING (seq) ORDER BY rank, chosen.run_at, leased.seq`;

/**
 * The common claim. First $8 entries that are due by $6, from $9 on, in order of their times; if
 * there are fewer, those that are due later than $7, which a clock that was set back has dated;
 * and then $11 more that are due and were never tried.
 *
 * Every value is a parameter of a statement without a name, so it is planned with the values: what
 * an empty list or a `false` leaves out costs nothing. Measured over 20 000 entries, beside a
 * statement of only the parts that a request needs: 0.97 to 1.02 times its speed. MATERIALIZED, or
 * the planner may run a subquery with a LIMIT more than once, and lease more than that. One index
 * scan for each source and LIMIT, since a scan for all sources would sort what waits.
 */
const CLAIM = `
  WITH ${SERVED}, due AS MATERIALIZED (
    SELECT seq, run_at FROM served CROSS JOIN LATERAL (
      SELECT seq, run_at FROM @.turn
      WHERE source = served AND ${FREE} AND run_at <= $6::bigint AND run_at >= $9::bigint
        AND ${notOfKinds("$10::text[]")}
      ORDER BY run_at, seq LIMIT $8::int FOR UPDATE SKIP LOCKED) found
    ORDER BY run_at, seq LIMIT $8::int
  ), misdated AS MATERIALIZED (
    SELECT seq, run_at FROM served CROSS JOIN LATERAL (
      SELECT seq, run_at FROM @.turn
      WHERE source = served AND ${FREE} AND run_at > greatest($7::bigint, ${PACED_UNTIL})
        AND ${notOfKinds("$10::text[]")}
      ORDER BY run_at, seq LIMIT $8::int FOR UPDATE SKIP LOCKED) found
    ORDER BY run_at, seq LIMIT $8::int
  ), now AS (
    SELECT seq, rank, run_at FROM (
      SELECT seq, 1 AS rank, run_at FROM due UNION ALL SELECT seq, 2, run_at FROM misdated) found
    ORDER BY rank, run_at, seq LIMIT $8::int
  ), later AS MATERIALIZED (
    SELECT seq, run_at FROM served CROSS JOIN LATERAL (
      SELECT seq, run_at FROM @.turn
      WHERE source = served AND ${FREE} AND run_at <= $6::bigint AND run_at >= $9::bigint
        AND attempts = 0 AND seq <> ALL (ARRAY (SELECT seq FROM now))
        AND ${notOfKinds("$10::text[]")}
      ORDER BY run_at, seq LIMIT $11::int FOR UPDATE SKIP LOCKED) found
    ORDER BY run_at, seq LIMIT $11::int
  ), chosen AS MATERIALIZED (
    SELECT seq, rank, run_at FROM now UNION ALL SELECT seq, 3, run_at FROM later
  ), ${LEASED}`;

/** The same for entries that are named by a condition, due or not, unless they are leased. */
const claimNamed = (condition: string) => `
  WITH ${SERVED}, chosen AS MATERIALIZED (
    SELECT seq, seq AS rank, run_at FROM @.turn
    WHERE source IN (SELECT served FROM served) AND ${FREE} AND ${condition}
      AND (lease IS NULL OR run_at <= $6::bigint OR run_at > greatest($7::bigint, ${PACED_UNTIL}))
    ORDER BY seq LIMIT $8::int FOR UPDATE SKIP LOCKED
  ), ${LEASED}`;
const CLAIM_ONE = claimNamed("seq = $9::bigint");
const CLAIM_WAITING = claimNamed(
  `seq > $9::bigint AND waiting_for IS NOT NULL AND $10::text = ANY (waiting_for) ${notPausedTarget("$10::text")}`,
);

/** For a due time of PostgreSQL's: earlier and later than any. */
const EVER = { first: "-9223372036854775808", last: "9223372036854775807" };

/** Leases due entries and returns their rows, joined with their entry and delivery. */
export async function claimRows(store: Store, request: ClaimRequest, from: number | undefined) {
  const { limit, ahead = 0, only, waitingFor } = request;
  const sources = await sourcesOf(store, request.sources);
  if (sources.length === 0 || limit + ahead <= 0) return [];
  const values = claimValues(request, sources);
  let leased: readonly Row[];
  if (only !== undefined) leased = await store.query(CLAIM_ONE, [...values, only]);
  else if (waitingFor !== undefined) {
    const { after, target } = waitingFor;
    leased = await store.query(CLAIM_WAITING, [...values, after, encodeText(target)]);
  } else {
    const kinds = (request.exceptKinds ?? []).map(encodeText);
    leased = await store.query(CLAIM, [...values, from ?? EVER.first, kinds, ahead]);
  }
  if (leased.length === 0) return [];
  const kept = new Map((await keptRows(store, leased)).map((row) => [row.seq, row]));
  return leased.flatMap((row): readonly Row[] => {
    const rest = kept.get(row.seq);
    return rest === undefined ? [] : [{ ...row, ...rest }];
  });
}

/** The values that all claims have. */
function claimValues(
  { now, leaseTime, runner, limit, except = [], deadBlocks = false, horizon }: ClaimRequest,
  sources: readonly string[],
): readonly Value[] {
  const latest = now + Math.max(horizon ?? Number.POSITIVE_INFINITY, leaseTime);
  return [
    sources,
    except,
    deadBlocks,
    runner === undefined ? "" : `${runner}.`,
    now + leaseTime,
    now,
    Number.isFinite(latest) ? latest : EVER.last,
    limit,
  ];
}

/** The entry and the delivery of each number. */
const KEPT = `
  SELECT leased.seq, event_id, kind, order_key, body_hash, method, target, headers, body
  FROM unnest($1::bigint[]) AS leased(seq)
    CROSS JOIN LATERAL (
      SELECT event_id, kind, order_key, body_hash FROM @.entry WHERE entry.seq = leased.seq LIMIT 1) e
    LEFT JOIN LATERAL (
      SELECT method, target, headers, body FROM @.delivery WHERE delivery.seq = leased.seq LIMIT 1) d ON true`;

/**
 * What was kept of entries that are leased now. Each row is looked up by itself, since before a
 * table has statistics the planner would read all of it for a join. If the connection is lost, it
 * is asked once more: nobody else may run them meanwhile.
 */
async function keptRows(store: Store, leased: readonly Row[]): Promise<readonly Row[]> {
  const seqs = leased.map(({ seq }) => Number(seq));
  const read = () => store.query(KEPT, [seqs]);
  return read().catch((thrown) => (isOutage(thrown) ? read() : Promise.reject(thrown)));
}

/**
 * A claimed entry. If its delivery is not what was received, it is marked: it must not stop others
 * from being claimed.
 */
export function toClaimedEntry(row: Row, until: number): ClaimedEntry {
  const { body, body_hash: expected } = row;
  const isOther = body === null || hash("sha256", body as Uint8Array, "hex") !== hex(expected);
  const why = body === null ? "it has no delivery" : "its body is not what was received";
  const unreadable = isOther ? why : undefined;
  const delivery = unreadable === undefined ? toDelivery(row) : noDelivery(Number(row.received_at));
  const lease = { token: String(row.lease), until };
  const paused = toPausedRuns(row);
  return {
    ...toClaimed(row, lease, Number(row.attempts), delivery),
    unreadable,
    ...(paused && { paused }),
  };
}

/** The end of an entry that was dropped while it ran, and leased again only to be ended. */
export function droppedBefore({ seq, lease, runAt, finishedHandlers }: ClaimedEntry): Settlement {
  return {
    seq,
    lease,
    state: "dead",
    reason: DROPPED,
    runAt,
    finishedHandlers,
    records: [],
    uncount: true,
  };
}

/** The sources to look at, as stored: those of the request, or all that have waiting entries. */
export async function sourcesOf(store: Store, sources: readonly string[] | undefined) {
  if (sources !== undefined) return sources.map(encodeText);
  return (await store.query(WAITING_SOURCES)).map(({ source }) => String(source));
}

/**
 * When the next entry that could be claimed is due; `undefined` if none is waiting. And whether
 * anything is paused.
 */
export async function nextDue(store: Store, request: DueRequest, from: number | undefined) {
  const { except = [], deadBlocks = false, sources, exceptKinds = [] } = request;
  const served = await sourcesOf(store, sources);
  const earliest = from === undefined ? EVER.first : Math.floor(from);
  const kinds = exceptKinds.map(encodeText);
  const [row] = await store.query(NEXT_DUE, [served, except, deadBlocks, earliest, kinds]);
  const at = row === undefined || row.next === null ? undefined : Number(row.next);
  return { at, anyPaused: row?.any_paused === true };
}

const NEXT_DUE = `
  SELECT min(found.run_at) AS next, ${ANY_PAUSED} FROM ${servedOf("$1::text[]")} CROSS JOIN LATERAL (
    SELECT run_at FROM @.turn
    WHERE source = served AND ${FREE} AND run_at >= $4::bigint AND ${notOfKinds("$5::text[]")}
    ORDER BY run_at LIMIT 1) found`;

/**
 * The turns of a batch, `input`, whose lease is still the batch's: locked, and always in the same
 * order, so that two batches cannot wait for each other. Each is looked up by itself: after a
 * vacuum while nothing was waiting, the planner takes `turn` for empty until the next one, and for
 * a join would read all of it for each row of the batch.
 */
export const OWN_TURNS = `(SELECT * FROM input ORDER BY seq OFFSET 0) input CROSS JOIN LATERAL (
      SELECT * FROM @.turn WHERE turn.seq = input.seq AND turn.lease = input.lease FOR UPDATE) turn`;

/** Leases that are renewed in one statement: any number of them must not pass its time limit. */
const STEP = 500;

export async function renewLeases(
  store: Store,
  leases: readonly { seq: number; lease: string }[],
  until: number,
): Promise<readonly number[]> {
  const renewed = new Set<number>();
  for (let from = 0; from < leases.length; from += STEP) {
    const input = leases
      .slice(from, from + STEP)
      .map(({ seq, lease }, n) => ({ n: from + n, seq, lease }));
    for (const { n } of await store.query(RENEW, [JSON.stringify(input), until]))
      renewed.add(Number(n));
  }
  return leases.flatMap(({ seq }, n) => (renewed.has(n) ? [] : [seq]));
}

const RENEW = `
  WITH input AS MATERIALIZED (
    SELECT * FROM json_to_recordset($1::text::json) AS j(n int, seq bigint, lease text)
  ), own AS MATERIALIZED (
    SELECT n, turn.seq FROM ${OWN_TURNS}
  ), renewed AS (
    UPDATE @.turn SET run_at = $2::bigint WHERE seq = ANY (ARRAY (SELECT seq FROM own))
  )
  SELECT n FROM own`;
