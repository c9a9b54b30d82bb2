import { hash } from "../../base/package/builtins.ts";
import type { DedupKey } from "../../event/identity.ts";
import type { Appended, NewEntry } from "../append.ts";
import type { Lease } from "../claim.ts";
import type { EntryState } from "../entry-state.ts";
import { encodeNullable, keyColumns, type Row } from "../rows.ts";
import { STATE } from "./filter.ts";
import { LOCK_HASHES } from "./order.ts";
import type { Store } from "./store.ts";
import { datedAt, deliveryColumns, orderHash } from "./values.ts";

/**
 * The columns of one row of the batch, which goes as one JSON text. The bodies go in one binary
 * value beside it.
 */
const INPUT = `n int, key_timestamp bigint, event_id text, source text, kind text, event_timestamp bigint, order_key text,
  order_hash bigint, received_at bigint, dated bigint, body_hash text, body_length int, body_at int, run_at bigint,
  lease text, attempts int, in_any_case boolean, method text, target text, headers text`;
const DEAD_INPUT = `${INPUT}, state text, reason text, problems text`;

const BEHIND = `order_hash IS NOT NULL AND (row_number() OVER (PARTITION BY order_hash ORDER BY seq) > 1
        OR EXISTS (SELECT FROM @.turn earlier WHERE earlier.order_hash = kept.order_hash))`;

const DEAD = `, dead AS (
    INSERT INTO @.dead_or_received (seq, key_timestamp, received_at, dated, source, order_hash, state, reason, problems, settled_at, run_at,
      attempts, finished_handlers)
    SELECT seq, key_timestamp, received_at, dated, source, order_hash, state, reason, problems, received_at, run_at, 0, '[]'
    FROM kept WHERE state = 'dead'
  )`;

/**
 * Keeps the entries whose key is unknown, and returns their numbers. A number is drawn in order of
 * arrival, but rows are inserted in order of their keys, so that two batches with the same keys
 * cannot wait for each other. The server plans each statement again, so parts that a batch does not
 * need are left out.
 */
const keep = (ordered: boolean, dead: boolean) => `
  WITH input AS MATERIALIZED (
    SELECT nextval('@.seq') AS seq, i.* FROM (
      SELECT * FROM json_to_recordset($1::text::json) AS j(${dead ? DEAD_INPUT : INPUT}) ORDER BY n OFFSET 0) i
  ), pruned AS MATERIALIZED (
    SELECT marks FROM @.pruned LIMIT 1
  ), new AS (
    INSERT INTO @.entry (seq, key_timestamp, event_id, source, kind, event_timestamp, order_key, received_at, body_hash, body_length)
    SELECT seq, key_timestamp, event_id, source, kind, event_timestamp, order_key, received_at, decode(body_hash, 'hex'), body_length
    FROM input, pruned
    WHERE in_any_case OR dated > coalesce((marks ->> source)::bigint, dated - 1)
    ORDER BY key_timestamp, event_id, source, n
    ON CONFLICT DO NOTHING RETURNING seq
  ), kept AS MATERIALIZED (
    SELECT input.* FROM input JOIN new USING (seq)
  ), deliveries AS (
    INSERT INTO @.delivery (seq, received_at, method, target, headers, body)
    SELECT seq, received_at, method, target, headers, substring($2::bytea FROM body_at + 1 FOR body_length) FROM kept
  ), turns AS (
    INSERT INTO @.turn (seq, key_timestamp, received_at, dated, source, order_hash, behind, run_at, lease, attempts, finished_handlers)
    SELECT seq, key_timestamp, received_at, dated, source, order_hash, ${ordered ? BEHIND : "false"},
      run_at, lease, attempts, '[]'
    FROM kept${dead ? " WHERE state IS NULL" : ""}
  )${dead ? DEAD : ""}
  SELECT n, seq FROM kept`;

/** Counts duplicates, and returns the entries that they are duplicates of. */
const TOUCH = `
  WITH input AS MATERIALIZED (
    SELECT * FROM json_to_recordset($1::text::json) AS j(n int, key_timestamp bigint, event_id text, source text, at bigint)
  ), found AS MATERIALIZED (
    SELECT n, at, entry.seq FROM input JOIN @.entry USING (key_timestamp, event_id, source)
    WHERE key_timestamp = ANY ($2::bigint[])
  ), counted AS (
    INSERT INTO @.repeat (seq, duplicates, last_seen_at)
    SELECT seq, count(*), max(at) FROM found GROUP BY seq ORDER BY seq
    ON CONFLICT (seq) DO UPDATE SET duplicates = repeat.duplicates + excluded.duplicates,
      last_seen_at = greatest(repeat.last_seen_at, excluded.last_seen_at)
  )
  SELECT n, found.seq, ${STATE} AS state
  FROM found LEFT JOIN @.turn t ON t.seq = found.seq LEFT JOIN @.dead_or_received d ON d.seq = found.seq`;

export interface Repeat {
  readonly key: DedupKey;
  readonly at: number;
}

/**
 * Keeps a batch of entries; for one whose key is known, counts a duplicate; `undefined` for one
 * that may be pruned.
 */
export async function keepAll(store: Store, entries: readonly NewEntry[]) {
  const results: (Appended | undefined)[] = entries.map(() => undefined);
  let left = entries.map((entry, at) => ({ entry, at }));
  // Twice more if a known entry is pruned just before it is counted as repeated: a dead letter must
  // be kept then.
  for (let look = 0; look < 3 && left.length > 0; look++) {
    const tried = left.map(({ entry }) => entry);
    const inserted = await insert(store, tried);
    const seqs = new Map(inserted.map(({ n, seq }) => [Number(n), Number(seq)]));
    const known = left.filter(({ entry, at }, n) => {
      const seq = seqs.get(n);
      const leased = leaseOf(entry) !== undefined;
      if (seq !== undefined) results[at] = { seq, duplicate: false, state: entry.state, leased };
      return seq === undefined;
    });
    const repeats = known.map(({ entry: { key, delivery } }) => ({ key, at: delivery.receivedAt }));
    const touched = await touchAll(store, repeats);
    left = known.filter(({ entry, at }, n) => {
      results[at] = touched[n];
      return touched[n] === undefined && isKeptInAnyCase(entry);
    });
  }
  return results;
}

async function insert(store: Store, entries: readonly NewEntry[]): Promise<readonly Row[]> {
  const bodies = Buffer.concat(entries.map(({ delivery }) => delivery.body));
  let bodyAt = 0;
  const rows = entries.map((entry, n) => {
    const row = rowOf(entry, n, bodyAt);
    bodyAt += entry.delivery.body.byteLength;
    return row;
  });
  const values = [JSON.stringify(rows), bodies];
  const hashes = [...new Set(rows.flatMap(({ order_hash }) => order_hash ?? []))];
  const dead = entries.some(({ state }) => state === "dead");
  // A role's default may be a level at which the statement would not see marks that were raised
  // while it waited for locks.
  if (hashes.length === 0 && store.readsCommitted) return store.query(keep(false, dead), values);
  // The lock first, in a statement of its own: a statement sees what was committed before it began.
  return store.transaction(async (query) => {
    await query(LOCK_HASHES, [hashes]);
    return query(keep(true, dead), values);
  });
}

/** A row of the batch. What is not given is NULL, and `undefined` takes no room in JSON. */
function rowOf(entry: NewEntry, n: number, bodyAt: number) {
  const { key, delivery, state } = entry;
  const lease = leaseOf(entry);
  return {
    n,
    ...keyColumns(key),
    kind: encodeNullable(entry.kind),
    event_timestamp: entry.eventTimestamp,
    order_key: encodeNullable(entry.orderKey) ?? undefined,
    order_hash: orderHash(key, entry.orderKey) ?? undefined,
    received_at: delivery.receivedAt,
    dated: datedAt(key, entry.eventTimestamp, delivery.receivedAt),
    body_hash: hash("sha256", delivery.body, "hex"),
    body_length: delivery.body.byteLength,
    body_at: bodyAt,
    state: state === "dead" ? state : undefined,
    reason: state === "dead" ? encodeNullable(entry.reason) : undefined,
    problems: entry.problems === undefined ? undefined : JSON.stringify(entry.problems),
    run_at: lease?.until ?? entry.runAt ?? delivery.receivedAt,
    lease: lease?.token,
    attempts: lease === undefined ? 0 : 1,
    in_any_case: isKeptInAnyCase(entry),
    ...deliveryColumns(delivery),
  };
}

/**
 * Whether an entry with an order key is behind another one is known only once it is inserted: it is
 * claimed after that.
 */
function leaseOf({ orderKey, lease }: NewEntry): Lease | undefined {
  return orderKey === null ? lease : undefined;
}

function isKeptInAnyCase({ state, afterPruning }: NewEntry): boolean {
  return state === "dead" || afterPruning === true;
}

/** Counts duplicates of known keys; `undefined` for a key that is not known. */
export async function touchAll(store: Store, repeats: readonly Repeat[]) {
  if (repeats.length === 0) return [];
  const input = repeats.map(({ key, at }, n) => ({ n, at, ...keyColumns(key) }));
  const timestamps = repeats.map(({ key }) => key.timestamp);
  const results: (Appended | undefined)[] = repeats.map(() => undefined);
  for (const { n, seq, state } of await store.query(TOUCH, [JSON.stringify(input), timestamps])) {
    results[Number(n)] = { seq: Number(seq), duplicate: true, state: state as EntryState };
  }
  return results;
}
