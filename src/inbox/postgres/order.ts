// Entries of one order key wait for each other: only the first of them has `behind` false. Whatever
// adds or ends such an entry first locks its key, in a statement of its own, so that the next
// statement sees what others did before.

/**
 * Locks order keys for the rest of the transaction; sorted, so that two transactions cannot wait
 * for each other.
 */
export const LOCK_HASHES = `
  SELECT pg_advisory_xact_lock(hash) FROM (SELECT DISTINCT hash FROM unnest($1::bigint[]) AS h(hash) ORDER BY hash OFFSET 0) sorted`;

/** The same for the keys of entries; returns the keys. */
export const LOCK_KEYS_OF = `
  SELECT hash::text, pg_advisory_xact_lock(hash)::text FROM (
    SELECT order_hash AS hash FROM @.turn WHERE seq = ANY ($1::bigint[]) AND order_hash IS NOT NULL
    UNION SELECT order_hash FROM @.dead_or_received WHERE seq = ANY ($1::bigint[]) AND order_hash IS NOT NULL
    ORDER BY hash OFFSET 0) sorted`;

/** Lets the first entry of each key be claimed; returns those that were held back. */
export const RELEASE_FIRST = `
  UPDATE @.turn SET behind = false WHERE behind AND seq = ANY (ARRAY (
    SELECT (SELECT min(seq) FROM @.turn WHERE order_hash = hash) FROM unnest($1::bigint[]) AS h(hash))) RETURNING seq`;

/** Keeps all but the first entry of each key from being claimed. */
export const HOLD_BACK_OTHERS = `
  UPDATE @.turn SET behind = true FROM (
    SELECT hash, (SELECT min(seq) FROM @.turn WHERE order_hash = hash) AS first FROM unnest($1::bigint[]) AS h(hash)) key
  WHERE order_hash = hash AND seq > first AND NOT behind`;
