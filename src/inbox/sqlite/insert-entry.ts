import type { NewEntry } from "../append.ts";
import { encodeNullable, encodeText } from "../rows.ts";
import type { Statements, Value } from "./statements.ts";

// Each value that is bound takes time, so nearly all entries go through a statement with few of
// them. And VALUES instead of SELECT: SQLite prepares to undo a statement that might insert several
// rows, which costs as much again.

/** For an event without an order key; what is left out of the columns is NULL or zero. */
const INSERT_EVENT = `INSERT INTO entry (key_timestamp, event_id, source, kind, event_timestamp, received_at,
  last_seen_at, run_at, body_length, body_hash, state`;
const EVENT_VALUES = "VALUES (?1, ?2, ?3, ?4, ?1, ?5, ?5, ?6, ?7, ?8";

/** Inserts nothing if the key is known. RETURNING would double the cost. */
const UNLESS_KNOWN = "ON CONFLICT (key_timestamp, event_id, source) DO NOTHING";

const INSERT_WAITING = `${INSERT_EVENT}) ${EVENT_VALUES}, 'waiting') ${UNLESS_KNOWN}`;
const INSERT_LEASED = `${INSERT_EVENT}, lease, attempts) ${EVENT_VALUES}, 'running', ?9, 1) ${UNLESS_KNOWN}`;

/** For what is left: a dead letter, or an event with an order key. */
const INSERT_OTHER = `INSERT INTO entry (key_timestamp, event_id, source, kind, event_timestamp, received_at,
    last_seen_at, run_at, body_length, body_hash, state, reason, order_key, settled_at, lease, attempts)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15) ${UNLESS_KNOWN}`;

/**
 * Inserts an entry without its delivery; returns its number, or `undefined` if its key is known.
 */
export function insertEntry(
  statements: Statements,
  entry: NewEntry,
  bodyHash: string,
): number | undefined {
  const { key, delivery, state, eventTimestamp, reason, orderKey, lease } = entry;
  const names = [
    encodeText(key.eventId),
    encodeText(key.source),
    encodeNullable(entry.kind),
  ] as const;
  const at = delivery.receivedAt;
  const runAt = lease?.until ?? entry.runAt ?? at;
  const body = [delivery.body.byteLength, bodyHash] as const;
  if (
    state === "waiting" &&
    reason === null &&
    orderKey === null &&
    eventTimestamp === key.timestamp
  ) {
    const event: Value[] = [key.timestamp, ...names, at, runAt, ...body];
    if (lease === undefined) return statements.insert(INSERT_WAITING, ...event);
    return statements.insert(INSERT_LEASED, ...event, lease.token);
  }
  return statements.insert(
    INSERT_OTHER,
    key.timestamp,
    ...names,
    eventTimestamp,
    at,
    runAt,
    ...body,
    lease === undefined ? state : "running",
    encodeNullable(reason),
    encodeNullable(orderKey),
    state === "dead" ? at : null,
    lease?.token ?? null,
    lease === undefined ? 0 : 1,
  );
}

/**
 * Whether its event may have been handled and pruned: dated no later than the latest pruned one of
 * its source.
 */
export function mayBePruned(statements: Statements, entry: NewEntry): boolean {
  const { state, afterPruning, eventTimestamp, key, delivery } = entry;
  if (state === "dead" || afterPruning === true) return false;
  const source = encodeText(key.source);
  let until = statements.prunedUntil.get(source);
  if (until === undefined) {
    const row = statements.get("SELECT dated_until FROM pruned WHERE source = ?", source);
    until = Number(row?.dated_until ?? Number.NEGATIVE_INFINITY);
    statements.prunedUntil.set(source, until);
  }
  return (eventTimestamp ?? delivery.receivedAt) <= until;
}
