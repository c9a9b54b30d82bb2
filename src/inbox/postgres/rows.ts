import type { Delivery } from "../../event/delivery.ts";
import type { DedupKey } from "../../event/identity.ts";
import { hash } from "../../package/builtins.ts";
import type { AttemptRecord } from "../attempt-record.ts";
import type { ClaimedEntry } from "../claim.ts";
import type { Entry } from "../entry.ts";
import { finishedNames } from "../runs-within.ts";
import type { Settlement } from "../settlement.ts";
import { DROPPED, type TargetWait } from "../target-wait.ts";
import { decodeText } from "../text.ts";
import { noDelivery } from "../unreadable.ts";
import { toPausedRuns } from "./pause.ts";
import type { Row } from "./session.ts";

export function toEntry(row: Row): Entry {
  return {
    seq: Number(row.seq),
    key: toKey(row),
    kind: decodeNullable(row.kind),
    eventTimestamp: nullableNumber(row.event_timestamp),
    state: row.state as Entry["state"],
    reason: decodeNullable(row.reason),
    problems: readJson(row.problems) ?? [],
    orderKey: decodeNullable(row.order_key),
    receivedAt: Number(row.received_at),
    runAt: Number(row.run_at),
    attempts: Number(row.attempts),
    duplicates: Number(row.duplicates),
    lastSeenAt: Number(row.last_seen_at),
    settledAt: nullableNumber(row.settled_at),
    finishedHandlers: finishedNames(row.finished_handlers),
    waits: toWaits(row),
    bodyHash: hex(row.body_hash),
    bodyLength: Number(row.body_length),
  };
}

/** A claimed entry. If its delivery is not what was received, it is marked: it must not stop others from being claimed. */
export function toClaimed(row: Row, until: number): ClaimedEntry {
  const unreadable = whyUnreadable(row);
  const paused = toPausedRuns(row);
  return {
    seq: Number(row.seq),
    lease: String(row.lease),
    key: toKey(row),
    kind: decodeNullable(row.kind),
    orderKey: decodeNullable(row.order_key),
    runAt: until,
    dueAt: Number(row.run_at),
    attempts: Number(row.attempts),
    finishedHandlers: finishedNames(row.finished_handlers),
    waits: toWaits(row),
    reason: decodeNullable(row.reason),
    delivery: unreadable === undefined ? toDelivery(row) : noDelivery(Number(row.received_at)),
    unreadable,
    ...(paused && { paused }),
  };
}

function whyUnreadable(row: Row): string | undefined {
  if (row.body === null) return "it has no delivery";
  const isAsReceived = hash("sha256", row.body as Uint8Array, "hex") === hex(row.body_hash);
  return isAsReceived ? undefined : "its body is not what was received";
}

export function toDelivery(row: Row): Delivery {
  return {
    method: decodeText(String(row.method)),
    target: decodeText(String(row.target)),
    headers: readJson(row.headers) ?? {},
    body: row.body as Uint8Array,
    receivedAt: Number(row.received_at),
  };
}

export function toAttempt(row: Row): AttemptRecord {
  return {
    attempt: Number(row.attempt),
    handler: decodeText(String(row.handler)),
    startedAt: Number(row.started_at),
    duration: Number(row.duration_ms),
    outcome: row.outcome as AttemptRecord["outcome"],
    error: decodeNullable(row.error),
    failure: readJson(row.failure) ?? null,
    note: decodeNullable(row.note),
  };
}

function toKey(row: Row): DedupKey {
  return {
    source: decodeText(String(row.source)),
    eventId: decodeText(String(row.event_id)),
    timestamp: Number(row.key_timestamp),
  };
}

function toWaits(row: Row): readonly TargetWait[] {
  const waits = readJson<readonly TargetWait[]>(row.waits) ?? [];
  return waits.map((wait) => ({ ...wait, target: decodeText(wait.target) }));
}

function hex(stored: unknown): string {
  return Buffer.from(stored as Uint8Array).toString("hex");
}

function readJson<Value>(stored: unknown): Value | undefined {
  return typeof stored === "string" ? (JSON.parse(stored) as Value) : undefined;
}

function nullableNumber(stored: unknown): number | null {
  return stored === null ? null : Number(stored);
}

function decodeNullable(stored: unknown): string | null {
  return stored === null ? null : decodeText(String(stored));
}

/** The end of an entry that was dropped while it ran, and leased again only to be ended. */
export function droppedBefore({ seq, lease, runAt, finishedHandlers }: ClaimedEntry): Settlement {
  return { seq, lease, state: "dead", reason: DROPPED, runAt, finishedHandlers, records: [], uncount: true };
}
