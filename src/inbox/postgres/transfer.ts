import { grouped } from "../../base/grouped.ts";
import { inlineRuns, splitRuns } from "../inline-runs.ts";
import { decodeText, encodeText, entryColumns, toAttempt, toEntry } from "../rows.ts";
import {
  oneRead,
  type Transfer,
  type TransferRange,
  type WholeEntry,
} from "../transfer/transfer.ts";
import { storeClock } from "./clock.ts";
import { isFaultOfRow } from "./errors.ts";
import { checkEncoding, checkSchema, migrate } from "./migrations.ts";
import { MARK } from "./prune.ts";
import { ENTRY_COLUMNS } from "./reads.ts";
import { Runners } from "./runners.ts";
import { LONG_TIMEOUT, type Store } from "./store.ts";
import {
  attemptColumns,
  datedAt,
  deliveryColumns,
  orderHash,
  toDelivery,
  waitingFor,
} from "./values.ts";

/**
 * A schema that is copied (`read`), or copied into (`own`), which makes its tables if there are
 * none.
 */
export async function openSchemaTransfer(store: Store, access: "read" | "own"): Promise<Transfer> {
  await checkEncoding(store);
  if (access === "own") await migrate(store);
  await checkSchema(store, access === "own" ? "user" : "reader");
  const clock = storeClock();
  await clock.measure(store);
  const number = (sql: string) => store.number(sql, [], LONG_TIMEOUT);
  return {
    runners: async () => (await new Runners(store, clock).others()).length,
    last: () => number("SELECT max(seq) AS n FROM @.entry"),
    count: () => number("SELECT count(*) AS n FROM @.entry"),
    read: (range) => read(store, range),
    write: (entries) => write(store, entries),
    isFaultOfRow,
    pruned: async () => {
      const rows = await store.query(
        "SELECT key AS source, value AS until FROM @.pruned, jsonb_each_text(marks)",
      );
      return rows.map(({ source, until }) => ({
        source: decodeText(String(source)),
        until: Number(until),
      }));
    },
    markPruned: async (marks) => {
      const dated = marks.map(({ source, until }) => ({
        source: encodeText(source),
        dated: until,
      }));
      await store.query(MARK, [JSON.stringify(dated)]);
    },
    close: () => store.close(),
  };
}

/**
 * Each table is read by a range of numbers, so that none is read as a whole however the planner
 * joins them.
 */
const READ = `
  SELECT ${ENTRY_COLUMNS}, t.lease
  FROM @.entry e
    LEFT JOIN @.turn t ON t.seq = e.seq AND t.seq BETWEEN $1::bigint AND $2::bigint
    LEFT JOIN @.dead_or_received d ON d.seq = e.seq AND d.seq BETWEEN $1::bigint AND $2::bigint
    LEFT JOIN @.handled h ON h.seq = e.seq AND h.seq BETWEEN $1::bigint AND $2::bigint
    LEFT JOIN @.repeat r ON r.seq = e.seq AND r.seq BETWEEN $1::bigint AND $2::bigint
  WHERE e.seq BETWEEN $1::bigint AND $2::bigint ORDER BY e.seq`;

async function read(
  store: Store,
  { after, last, limit }: TransferRange,
): Promise<readonly WholeEntry[]> {
  const found = await store.query(
    "SELECT seq, body_length FROM @.entry WHERE seq > $1::bigint AND seq <= $2::bigint ORDER BY seq LIMIT $3::int",
    [after, last ?? Number.MAX_SAFE_INTEGER, limit],
    LONG_TIMEOUT,
  );
  const seqs = oneRead(
    found.map((row) => ({ seq: Number(row.seq), length: Number(row.body_length) })),
  );
  if (seqs.length === 0) return [];
  const range = [seqs[0] ?? 0, seqs.at(-1) ?? 0];
  const all = (sql: string) => store.query(sql, range, LONG_TIMEOUT);
  const between = "WHERE seq BETWEEN $1::bigint AND $2::bigint";
  const deliveries = new Map(
    (await all(`SELECT * FROM @.delivery ${between}`)).map((row) => [
      Number(row.seq),
      toDelivery(row),
    ]),
  );
  const attempts = grouped(await all(`SELECT * FROM @.attempt ${between} ORDER BY id`), ({ seq }) =>
    Number(seq),
  );
  return (await all(READ)).map((row) => {
    const entry = toEntry(row);
    return {
      entry,
      lease: row.lease as string | null,
      delivery: deliveries.get(entry.seq),
      runs: [
        ...(attempts.get(entry.seq) ?? []).map(toAttempt),
        ...inlineRuns(row.finished_handlers),
      ],
    };
  });
}

/**
 * The fields of an entry, which goes as one row of a JSON text. The bodies go in one binary value
 * beside it.
 */
const INPUT = `seq bigint, key_timestamp bigint, event_id text, source text, kind text, event_timestamp bigint, order_key text,
  order_hash bigint, received_at bigint, dated bigint, body_hash text, body_length int, body_at int, state text, reason text,
  problems text, settled_at bigint, run_at bigint, lease text, attempts int, finished_handlers text, waits text,
  waiting_for text[], duplicates int, last_seen_at bigint, method text, target text, headers text`;

/** As `append` and the settlements of an entry would have left it. */
const WRITE = `
  WITH input AS MATERIALIZED (
    SELECT * FROM json_to_recordset($1::text::json) AS j(${INPUT})
  ), entries AS (
    INSERT INTO @.entry (seq, key_timestamp, event_id, source, kind, event_timestamp, order_key, received_at, body_hash, body_length)
    SELECT seq, key_timestamp, event_id, source, kind, event_timestamp, order_key, received_at, decode(body_hash, 'hex'), body_length
    FROM input
  ), deliveries AS (
    INSERT INTO @.delivery (seq, received_at, method, target, headers, body)
    SELECT seq, received_at, method, target, headers, substring($2::bytea FROM body_at + 1 FOR body_length)
    FROM input WHERE method IS NOT NULL
  ), turns AS (
    INSERT INTO @.turn (seq, key_timestamp, received_at, dated, source, order_hash, behind, run_at, lease, attempts, reason,
      finished_handlers, waits, waiting_for)
    SELECT seq, key_timestamp, received_at, dated, source, order_hash,
      order_hash IS NOT NULL AND (row_number() OVER (PARTITION BY order_hash ORDER BY seq) > 1
        OR EXISTS (SELECT FROM @.turn earlier WHERE earlier.order_hash = input.order_hash)),
      run_at, lease, attempts, reason, finished_handlers, waits, waiting_for
    FROM input WHERE state IN ('waiting', 'failing', 'running')
  ), dead_or_received AS (
    INSERT INTO @.dead_or_received (seq, key_timestamp, received_at, dated, source, order_hash, state, reason, problems, settled_at, run_at,
      attempts, finished_handlers, waits)
    SELECT seq, key_timestamp, received_at, dated, source, order_hash, state, reason, problems, settled_at, run_at, attempts,
      finished_handlers, waits
    FROM input WHERE state IN ('dead', 'received')
  ), handled AS (
    INSERT INTO @.handled (seq, key_timestamp, received_at, dated, source, reason, settled_at, run_at, attempts, finished_handlers, waits)
    SELECT seq, key_timestamp, received_at, dated, source, reason, settled_at, run_at, attempts, finished_handlers, waits
    FROM input WHERE state = 'handled'
  )
  INSERT INTO @.repeat (seq, duplicates, last_seen_at)
  SELECT seq, duplicates, last_seen_at FROM input WHERE duplicates > 0`;

const WRITE_ATTEMPTS = `
  INSERT INTO @.attempt (id, seq, attempt, handler, started_at, duration_ms, outcome, error, note, failure)
  SELECT nextval('@.attempt_id'), * FROM (
    SELECT seq, attempt, handler, started_at, duration_ms, outcome, error, note, failure
    FROM json_to_recordset($1::text::json) AS j(n int, seq bigint, attempt int, handler text,
      started_at bigint, duration_ms double precision, outcome text, error text, note text, failure text)
    ORDER BY n OFFSET 0) run`;

async function write(store: Store, entries: readonly WholeEntry[]): Promise<void> {
  const bodies = entries.flatMap(({ delivery }) => (delivery === undefined ? [] : [delivery.body]));
  let bodyAt = 0;
  const split = entries.map(({ entry, runs }) => ({ entry, ...splitRuns(entry, runs) }));
  const rows = entries.map((whole, index) => {
    const { entry, lease, delivery } = whole;
    const { key, eventTimestamp, receivedAt, settledAt } = entry;
    const row = {
      ...entryColumns(entry),
      settled_at: settledAt ?? receivedAt,
      lease,
      body_at: bodyAt,
      order_hash: orderHash(key, entry.orderKey),
      dated: datedAt(key, eventTimestamp, receivedAt),
      waiting_for: waitingFor(entry.waits),
      finished_handlers: split[index]?.finished,
      ...(delivery && deliveryColumns(delivery)),
    };
    bodyAt += whole.delivery?.body.byteLength ?? 0;
    return row;
  });
  const runs = split.flatMap(({ entry: { seq }, others }) =>
    others.map((run) => ({ seq, ...attemptColumns(run) })),
  );
  const attempts = runs.map((run, n) => ({ n, ...run }));
  await store.transaction(async (query) => {
    await query(WRITE, [JSON.stringify(rows), Buffer.concat(bodies)]);
    await query(WRITE_ATTEMPTS, [JSON.stringify(attempts)]);
    const last = entries.at(-1)?.entry.seq ?? 1;
    await query("SELECT setval('@.seq', greatest((SELECT last_value FROM @.seq), $1::bigint))", [
      last,
    ]);
  }, LONG_TIMEOUT);
}
