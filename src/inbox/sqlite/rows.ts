import type { Delivery } from "../../event/delivery.ts";
import type { DedupKey } from "../../event/identity.ts";
import type { AttemptRecord } from "../attempt-record.ts";
import type { ClaimedEntry } from "../claim.ts";
import type { Entry } from "../entry.ts";
import type { Lease } from "../lease.ts";
import { finishedNames } from "../runs-within.ts";
import type { TargetWait } from "../target-wait.ts";
import { decodeText, encodeNullable, encodeText } from "../text.ts";

/** A row of SQLite. */
export type Row = Readonly<Record<string, unknown>>;

export function toEntry(row: Row): Entry {
  return {
    seq: row.seq as number,
    key: toKey(row),
    kind: decodeNullable(row.kind),
    eventTimestamp: row.event_timestamp as number | null,
    state: row.state as Entry["state"],
    reason: decodeNullable(row.reason),
    problems: readJson(row.problems) ?? [],
    orderKey: decodeNullable(row.order_key),
    receivedAt: row.received_at as number,
    runAt: row.run_at as number,
    attempts: row.attempts as number,
    duplicates: row.duplicates as number,
    lastSeenAt: row.last_seen_at as number,
    settledAt: row.settled_at as number | null,
    finishedHandlers: finishedNames(row.finished_handlers),
    waits: toWaits(row),
    bodyHash: row.body_hash as string,
    bodyLength: row.body_length as number,
  };
}

/** The columns of `entry` that a claim reads. */
export const CLAIM_COLUMNS =
  "seq, key_timestamp, event_id, source, kind, state, reason, order_key, received_at, run_at, attempts, " +
  "finished_handlers, waits, body_hash";

/** The claimed entry, from these columns as they were before the claim. */
export function toClaimed(row: Row, delivery: Delivery, lease: Lease): ClaimedEntry {
  return {
    seq: row.seq as number,
    lease: lease.token,
    key: toKey(row),
    kind: decodeNullable(row.kind),
    orderKey: decodeNullable(row.order_key),
    runAt: lease.until,
    attempts: (row.attempts as number) + 1,
    finishedHandlers: finishedNames(row.finished_handlers),
    waits: toWaits(row),
    reason: decodeNullable(row.reason),
    dueAt: row.run_at as number,
    delivery,
  };
}

/** The stored form of the targets that an entry waits for. */
export function waitsValue(waits: readonly TargetWait[]): string | null {
  if (waits.length === 0) return null;
  return JSON.stringify(waits.map((wait) => ({ ...wait, target: encodeText(wait.target) })));
}

function toWaits(row: Row): readonly TargetWait[] {
  const waits = readJson<readonly TargetWait[]>(row.waits) ?? [];
  return waits.map((wait) => ({ ...wait, target: decodeText(wait.target) }));
}

function toKey(row: Row): DedupKey {
  return {
    source: decodeText(row.source as string),
    eventId: decodeText(row.event_id as string),
    timestamp: row.key_timestamp as number,
  };
}

/** A delivery, from a row of `delivery` and its entry's `received_at`. */
export function toDelivery(row: Row, receivedAt = row.received_at): Delivery {
  return {
    method: row.method as string,
    target: row.target as string,
    headers: JSON.parse(row.headers as string),
    body: row.body as Uint8Array,
    receivedAt: receivedAt as number,
  };
}

/** The column values of an attempt record; the last is its failure, if it has one. */
export function attemptValues(seq: number, record: AttemptRecord): (string | number | null)[] {
  const { attempt, handler, startedAt, duration, outcome, error, note, failure } = record;
  const texts = [encodeNullable(error), encodeNullable(note)];
  return [
    seq,
    attempt,
    encodeText(handler),
    startedAt,
    duration,
    outcome,
    ...texts,
    ...(failure === null ? [] : [JSON.stringify(failure)]),
  ];
}

export function toAttempt(row: Row): AttemptRecord {
  return {
    attempt: row.attempt as number,
    handler: decodeText(row.handler as string),
    startedAt: row.started_at as number,
    duration: row.duration_ms as number,
    outcome: row.outcome as AttemptRecord["outcome"],
    error: decodeNullable(row.error),
    failure: readJson(row.failure) ?? null,
    note: decodeNullable(row.note ?? null), // schema 1 has no such column
  };
}

/** A value stored as JSON; `undefined` if there is none, or if the schema is too old to have the column. */
function readJson<Value>(stored: unknown): Value | undefined {
  return typeof stored === "string" ? (JSON.parse(stored) as Value) : undefined;
}

function decodeNullable(stored: unknown): string | null {
  return stored === null ? null : decodeText(stored as string);
}
