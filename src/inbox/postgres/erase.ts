import { alreadyErasing, type Eraser, thisEraser } from "../erasing.ts";
import type { Erasure } from "../inbox.ts";
import { ERASED } from "../reasons.ts";
import { LOCK_KEYS_OF, RELEASE_FIRST } from "./order.ts";
import { LONG_TIMEOUT, type Store } from "./store.ts";

const ENDED = "seq, key_timestamp, received_at, dated, source, run_at, attempts";

/**
 * Leaves the row of `entry` with its key, and one of `handled`. Each table is given the numbers, or
 * it would be read whole.
 */
const ERASE = `
  WITH waiting AS (
    DELETE FROM @.turn WHERE seq = ANY ($1::bigint[]) AND lease IS NULL RETURNING ${ENDED}, $2::bigint AS settled_at
  ), dead_or_received AS (
    DELETE FROM @.dead_or_received WHERE seq = ANY ($1::bigint[]) RETURNING ${ENDED}, settled_at
  ), handled AS (
    DELETE FROM @.handled WHERE seq = ANY ($1::bigint[]) AND reason IS DISTINCT FROM '${ERASED}' RETURNING ${ENDED}, settled_at
  ), gone AS MATERIALIZED (
    SELECT * FROM waiting UNION ALL SELECT * FROM dead_or_received UNION ALL SELECT * FROM handled
  ), left_over AS (
    INSERT INTO @.handled (${ENDED}, settled_at, reason, finished_handlers) SELECT *, '${ERASED}', '[]' FROM gone
  ), entries AS (
    UPDATE @.entry SET order_key = NULL, body_hash = sha256(''), body_length = 0
    FROM gone WHERE entry.seq = ANY ($1::bigint[]) AND entry.seq = gone.seq
  ), deliveries AS (
    DELETE FROM @.delivery d USING gone WHERE d.seq = ANY ($1::bigint[]) AND d.seq = gone.seq
  ), attempts AS (
    DELETE FROM @.attempt a USING gone WHERE a.seq = ANY ($1::bigint[]) AND a.seq = gone.seq
  ), recorded AS (
    INSERT INTO @.erased (seq, erased_at) SELECT seq, $2::bigint FROM gone
  )
  SELECT seq FROM gone`;

export async function erase(
  store: Store,
  seqs: readonly number[],
  now: number,
): Promise<readonly number[]> {
  return store.transaction(async (query) => {
    const keys = await query(LOCK_KEYS_OF, [seqs]);
    const rows = await query(ERASE, [seqs, now]);
    await query(RELEASE_FIRST, [keys.map(({ hash }) => Number(hash))]);
    return rows.map(({ seq }) => Number(seq));
  });
}

const LOCK = "hashtextextended('hookporter erase ' || $1::text, 0)";

/**
 * Takes the lock until the transaction ends, and names its connection for those who find it taken:
 * every user sees that name. The transaction is idle meanwhile, whatever limits the role sets for
 * that.
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
 * Runs an erasure, one at a time on a schema. A transaction holds the lock, not a session, so that
 * a pooler may be in between.
 */
export function eraseAlone<Result>(store: Store, work: () => Promise<Result>): Promise<Result> {
  return store.transaction(async (query) => {
    const [row] = await query(ALONE, [store.schema, nameOf(thisEraser())]);
    if (row?.taken === true) return work();
    const [holder] = await query(WHO, [store.schema]);
    throw alreadyErasing(store.name, readName(String(holder?.name)));
  }, LONG_TIMEOUT);
}

const END = `
  WITH ended AS (DELETE FROM @.erased RETURNING erased_at)
  SELECT count(*) AS entries, min(erased_at) AS since FROM ended`;

/** Forgets the numbers of erased entries; says how many there were. */
export async function endErasure(store: Store): Promise<Erasure | undefined> {
  const [row] = await store.query(END, [], LONG_TIMEOUT);
  const entries = Number(row?.entries);
  return entries === 0 ? undefined : { entries, since: Number(row?.since) };
}
