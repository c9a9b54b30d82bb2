import { noDelivery } from "../../event/delivery.ts";
import { hash } from "../../package/builtins.ts";
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
import { parametersIn, type Value } from "./session.ts";
import type { Store } from "./store.ts";
import { spanOf, toDelivery } from "./values.ts";

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
const NOT_BLOCKED = `
  AND (order_hash IS NULL OR NOT EXISTS (SELECT FROM @.dead_or_received earlier WHERE earlier.order_hash = turn.order_hash
    AND earlier.state = 'dead' AND earlier.seq < turn.seq AND earlier.reason IS DISTINCT FROM '${DROPPED}'))`;

/**
 * That an entry has none of some kinds, which are left to other processes. Without OFFSET, the
 * planner may read all entries of those kinds once instead.
 */
const notOfKinds = (kinds: string) => `
  AND NOT EXISTS (SELECT FROM @.entry kept WHERE kept.seq = turn.seq AND kept.key_timestamp = turn.key_timestamp
    AND kept.kind = ANY (${kinds}) OFFSET 0)`;

/** Leases due entries and returns their rows, joined with their entry and delivery. */
export async function claimRows(store: Store, request: ClaimRequest, from: number | undefined) {
  const { now, leaseTime, runner, limit, ahead = 0 } = request;
  const values: Value[] = [];
  const parameter = parametersIn(values);
  const sources = await sourcesOf(store, request.sources);
  if (sources.length === 0 || limit + ahead <= 0) return [];
  const chosen = choose(request, sources, parameter, from);
  const prefix = parameter(runner === undefined ? "" : `${runner}.`, "text");
  const until = parameter(now + leaseTime, "bigint");
  const leased = await store.query(
    `WITH ${chosen}, leased AS (
       UPDATE @.turn SET lease = ${prefix} || gen_random_uuid(), run_at = ${until}, attempts = attempts + 1
       WHERE seq = ANY (ARRAY (SELECT seq FROM chosen))
       RETURNING seq, key_timestamp, received_at, source, lease, attempts, reason, finished_handlers, waits
     )
     SELECT leased.*, chosen.run_at, ${PAUSED_RUNS} FROM leased JOIN chosen USING (seq) ORDER BY rank, chosen.run_at, leased.seq`,
    values,
  );
  if (leased.length === 0) return [];
  const kept = new Map((await keptRows(store, leased)).map((row) => [row.seq, row]));
  return leased.flatMap((row): readonly Row[] => {
    const rest = kept.get(row.seq);
    return rest === undefined ? [] : [{ ...row, ...rest }];
  });
}

/** The entry and the delivery of each number, in partitions of a span of times. */
const KEPT = `
  SELECT leased.seq, event_id, kind, order_key, body_hash, method, target, headers, body
  FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS leased(seq, key_timestamp, received_at)
    CROSS JOIN LATERAL (
      SELECT event_id, kind, order_key, body_hash FROM @.entry
      WHERE entry.seq = leased.seq AND entry.key_timestamp = leased.key_timestamp
        AND entry.key_timestamp BETWEEN $4::bigint AND $5::bigint LIMIT 1) e
    LEFT JOIN LATERAL (
      SELECT method, target, headers, body FROM @.delivery
      WHERE delivery.seq = leased.seq AND delivery.received_at = leased.received_at
        AND delivery.received_at BETWEEN $6::bigint AND $7::bigint LIMIT 1) d ON true`;

/**
 * What was kept of entries that are leased now. A statement by itself, with the times as constants:
 * it is planned for the days of these entries only, and each row is looked up by itself, since
 * before a table has statistics the planner would read all of it for a join. If the connection is
 * lost, it is asked once more: nobody else may run them meanwhile.
 */
async function keptRows(store: Store, leased: readonly Row[]): Promise<readonly Row[]> {
  const column = (name: string) => leased.map((row) => Number(row[name]));
  const keyTimes = column("key_timestamp");
  const times = column("received_at");
  const values = [column("seq"), keyTimes, times, ...spanOf(keyTimes), ...spanOf(times)];
  const read = () => store.query(KEPT, values);
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

/** The common table expressions that choose and lock what to claim; the last is `chosen`. */
function choose(
  request: ClaimRequest,
  sources: readonly string[],
  parameter: ReturnType<typeof parametersIn>,
  from: number | undefined,
): string {
  const {
    now,
    limit,
    leaseTime,
    ahead = 0,
    except = [],
    deadBlocks = false,
    only,
    waitingFor,
  } = request;
  const latest = now + Math.max(request.horizon ?? Number.POSITIVE_INFINITY, leaseTime);
  const bySource = parameter(sources, "text[]");
  const free = `NOT behind AND seq <> ALL (${parameter(except, "bigint[]")})${deadBlocks ? NOT_BLOCKED : ""}`;
  const { exceptKinds = [] } = request;
  const due = `run_at <= ${parameter(now, "bigint")}`;
  const misdated = Number.isFinite(latest)
    ? `run_at > greatest(${parameter(latest, "bigint")}, ${PACED_UNTIL})`
    : "false";
  if (only !== undefined || waitingFor !== undefined) {
    const target = () => parameter(encodeText(waitingFor?.target ?? ""), "text");
    const named =
      only !== undefined
        ? `seq = ${parameter(only, "bigint")}`
        : `seq > ${parameter(waitingFor?.after ?? 0, "bigint")} AND waiting_for IS NOT NULL
           AND ${target()} = ANY (waiting_for) ${notPausedTarget(target())}`;
    return `chosen AS MATERIALIZED (
      SELECT seq, seq AS rank, run_at FROM @.turn
      WHERE source IN (SELECT served FROM ${servedOf(bySource)}) AND ${free} AND ${named}
        AND (lease IS NULL OR ${due} OR ${misdated}) ${NOT_HELD}
      ORDER BY seq LIMIT ${parameter(limit, "int")} FOR UPDATE SKIP LOCKED)`;
  }
  const early = from === undefined ? due : `${due} AND run_at >= ${parameter(from, "bigint")}`;
  const taken =
    exceptKinds.length === 0 ? "" : notOfKinds(parameter(exceptKinds.map(encodeText), "text[]"));
  // MATERIALIZED, or the planner may run a subquery with a LIMIT more than once and lease more than
  // that.
  const first = (name: string, condition: string, many: string) => `${name} AS MATERIALIZED (
    SELECT seq, run_at FROM ${servedOf(bySource)} CROSS JOIN LATERAL (
      SELECT seq, run_at FROM @.turn WHERE source = served AND ${free} AND ${condition}${taken} ${NOT_HELD}
      ORDER BY run_at, seq LIMIT ${many} FOR UPDATE SKIP LOCKED) found
    ORDER BY run_at, seq LIMIT ${many})`;
  const many = parameter(limit, "int");
  const parts = [first("due", early, many)];
  const rows = ["SELECT seq, 1 AS rank, run_at FROM due"];
  if (Number.isFinite(latest)) {
    parts.push(first("misdated", misdated, many));
    rows.push("SELECT seq, 2, run_at FROM misdated");
  }
  parts.push(
    `now AS (SELECT * FROM (${rows.join(" UNION ALL ")}) x ORDER BY rank, run_at, seq LIMIT ${many})`,
  );
  if (ahead <= 0) return [...parts, "chosen AS MATERIALIZED (SELECT * FROM now)"].join(", ");
  const fresh = `attempts = 0 AND ${early} AND seq <> ALL (ARRAY (SELECT seq FROM now))`;
  parts.push(first("later", fresh, parameter(ahead, "int")));
  return [
    ...parts,
    "chosen AS MATERIALIZED (SELECT * FROM now UNION ALL SELECT seq, 3, run_at FROM later)",
  ].join(", ");
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
  const [row] = await store.query(
    `SELECT min(found.run_at) AS next, ${ANY_PAUSED} FROM ${servedOf("$1::text[]")} CROSS JOIN LATERAL (
       SELECT run_at FROM @.turn WHERE source = served AND NOT behind AND seq <> ALL ($2::bigint[])
         ${from === undefined ? "" : `AND run_at >= ${Math.floor(from)}`}
         ${deadBlocks ? NOT_BLOCKED : ""}${exceptKinds.length === 0 ? "" : notOfKinds("$3::text[]")} ${NOT_HELD}
       ORDER BY run_at LIMIT 1) found`,
    exceptKinds.length === 0 ? [served, except] : [served, except, exceptKinds.map(encodeText)],
  );
  const at = row === undefined || row.next === null ? undefined : Number(row.next);
  return { at, anyPaused: row?.any_paused === true };
}

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
