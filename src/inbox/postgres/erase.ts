import type { Erasure } from "../inbox.ts";
import { KEY_COLUMNS, keysHashOf } from "../keys-hash.ts";
import { ERASED } from "../reasons.ts";
import { LOCK_KEYS_OF, RELEASE_FIRST } from "./order.ts";
import { LONG_TIMEOUT, type Store } from "./store.ts";

const ENDED = "seq, key_timestamp, received_at, dated, source, run_at, attempts";

/** Leaves the row of `entry` with its key, and one of `done`. Each table is given the numbers, or it would be read whole. */
const ERASE = `
  WITH waiting AS (
    DELETE FROM @.turn WHERE seq = ANY ($1::bigint[]) AND lease IS NULL RETURNING ${ENDED}, $2::bigint AS settled_at
  ), stuck AS (
    DELETE FROM @.stuck WHERE seq = ANY ($1::bigint[]) RETURNING ${ENDED}, settled_at
  ), done AS (
    DELETE FROM @.done WHERE seq = ANY ($1::bigint[]) AND reason IS DISTINCT FROM '${ERASED}' RETURNING ${ENDED}, settled_at
  ), gone AS MATERIALIZED (
    SELECT * FROM waiting UNION ALL SELECT * FROM stuck UNION ALL SELECT * FROM done
  ), left_over AS (
    INSERT INTO @.done (${ENDED}, settled_at, reason, finished_handlers) SELECT *, '${ERASED}', '[]' FROM gone
  ), entries AS (
    UPDATE @.entry SET order_key = NULL, body_hash = sha256(''), body_length = 0
    FROM gone WHERE entry.seq = ANY ($1::bigint[]) AND entry.seq = gone.seq AND entry.key_timestamp = gone.key_timestamp
  ), deliveries AS (
    DELETE FROM @.delivery d USING gone WHERE d.seq = ANY ($1::bigint[]) AND d.seq = gone.seq AND d.received_at = gone.received_at
  ), attempts AS (
    DELETE FROM @.attempt a USING gone WHERE a.seq = ANY ($1::bigint[]) AND a.seq = gone.seq AND a.received_at = gone.received_at
  ), recorded AS (
    INSERT INTO @.erased (seq, erasure) SELECT seq, $3::bigint FROM gone
  )
  SELECT seq FROM gone`;

/** The erasure that has not ended: that of an earlier call goes on, if its process was killed. */
const OPEN = "SELECT id FROM @.erasure WHERE keys_hash IS NULL LIMIT 1";
const BEGIN =
  "INSERT INTO @.erasure (id, erased_at, entries) VALUES (nextval('@.erasure_id'), $1::bigint, 0) RETURNING id";

export async function erase(store: Store, seqs: readonly number[], now: number): Promise<readonly number[]> {
  return store.transaction(async (query) => {
    const keys = await query(LOCK_KEYS_OF, [seqs]);
    const [open = (await query(BEGIN, [now]))[0]] = await query(OPEN);
    const rows = await query(ERASE, [seqs, now, Number(open?.id)]);
    await query(RELEASE_FIRST, [keys.map(({ hash }) => Number(hash))]);
    return rows.map(({ seq }) => Number(seq));
  });
}

/** Keeps the proof of what was erased; forgets erased entries that were pruned since. */
export async function endErasure(store: Store, erasedAt: number): Promise<Erasure | undefined> {
  const [open] = await store.query(OPEN);
  if (open === undefined) return undefined;
  const id = Number(open.id);
  const { entries, keysHash } = await keysHashOf((after) =>
    store.query(
      `SELECT ${KEY_COLUMNS} FROM @.erased JOIN @.entry USING (seq) WHERE erasure = $1::bigint AND entry.seq > $2::bigint
       ORDER BY entry.seq LIMIT 1000`,
      [id, after],
      LONG_TIMEOUT,
    ),
  );
  if (entries === 0) return undefined; // all that was to be erased ran
  const end =
    "UPDATE @.erasure SET erased_at = $2::bigint, entries = $3::bigint, keys_hash = $4::text WHERE id = $1::bigint";
  await store.query(end, [id, erasedAt, entries, keysHash]);
  await store.query("DELETE FROM @.erased WHERE seq < (SELECT min(seq) FROM @.entry)");
  return { erasedAt, entries, keysHash };
}
