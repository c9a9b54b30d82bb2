import { alreadyErasing, type Eraser, thisEraser } from "../erasing.ts";
import type { Erasure } from "../inbox.ts";
import { KEY_COLUMNS, keysHashOf } from "../keys-hash.ts";
import { ERASED } from "../reasons.ts";
import { LOCK_KEYS_OF, RELEASE_FIRST } from "./order.ts";
import type { Query } from "./session.ts";
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

const LOCK = "hashtextextended('hookporter erase ' || $1::text, 0)";

/**
 * Takes the lock until the transaction ends, and names its connection for those who find it taken: every user sees that name.
 * The transaction is idle meanwhile, whatever limits the role sets for that.
 */
const ALONE = `
  SELECT pg_try_advisory_xact_lock(${LOCK}) AS taken, set_config('application_name', $2::text, true),
    (SELECT count(set_config(name, '0', true)) FROM pg_settings
     WHERE name IN ('idle_in_transaction_session_timeout', 'transaction_timeout'))`;

const WHO = `
  SELECT application_name AS name FROM pg_locks JOIN pg_stat_activity USING (pid)
  WHERE locktype = 'advisory' AND granted AND objsubid = 1 AND datname = current_database()
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND (classid::bigint << 32) | objid::bigint = ${LOCK}`;

/** PostgreSQL cuts names of connections after 63 bytes: that of the machine comes last. */
const nameOf = ({ pid, machine, since }: Eraser) => `hookporter erases ${since} ${pid} ${machine}`;

function readName(name: string): Eraser | undefined {
  const [, since, pid, machine] = /^hookporter erases (\d+) (\d+) (.*)$/.exec(name) ?? [];
  if (machine === undefined) return undefined;
  return { since: Number(since), pid: Number(pid), machine };
}

/**
 * Runs an erasure, one at a time on a schema. A transaction holds the lock, not a session, so that a pooler may be in between;
 * the proof is written in it, so that there is none if the lock was lost.
 */
export function eraseAlone<Result>(store: Store, work: (prove: Query) => Promise<Result>): Promise<Result> {
  return store.transaction(async (query) => {
    const [row] = await query(ALONE, [store.schema, nameOf(thisEraser())]);
    if (row?.taken === true) return work(query);
    const [holder] = await query(WHO, [store.schema]);
    throw alreadyErasing(store.name, readName(String(holder?.name)));
  }, LONG_TIMEOUT);
}

/** Keeps the proof of what was erased; forgets erased entries that were pruned since. */
export async function endErasure(query: Query, erasedAt: number): Promise<Erasure | undefined> {
  const [open] = await query(OPEN);
  if (open === undefined) return undefined;
  const id = Number(open.id);
  const { entries, keysHash } = await keysHashOf((after) =>
    query(
      `SELECT ${KEY_COLUMNS} FROM @.erased JOIN @.entry USING (seq) WHERE erasure = $1::bigint AND entry.seq > $2::bigint
       ORDER BY entry.seq LIMIT 1000`,
      [id, after],
    ),
  );
  if (entries === 0) return undefined; // all that was to be erased ran
  const end =
    "UPDATE @.erasure SET erased_at = $2::bigint, entries = $3::bigint, keys_hash = $4::text WHERE id = $1::bigint";
  await query(end, [id, erasedAt, entries, keysHash]);
  await query("DELETE FROM @.erased WHERE seq < (SELECT min(seq) FROM @.entry)");
  return { erasedAt, entries, keysHash };
}
