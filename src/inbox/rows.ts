import { isRecord } from "../base/guards.ts";
import { canCarry, type Delivery, type DeliveryHeaders } from "../event/delivery.ts";
import type { DedupKey } from "../event/identity.ts";
import type { AttemptRecord } from "./attempt-record.ts";
import type { ClaimedEntry, Lease } from "./claim.ts";
import type { Entry } from "./entry.ts";
import { finishedNames } from "./inline-runs.ts";
import type { PacedRetry, Pause, PauseScope } from "./pause.ts";
import type { Role, Runner } from "./runner.ts";
import type { SenderRecord } from "./senders.ts";
import type { TargetCount, TargetWait } from "./target-wait.ts";

// What a row of either store stands for. PostgreSQL's clients return 64-bit numbers as texts. Texts
// are not converted: in a damaged file, they may be of another type, which must be noticed.

export type Row = Readonly<Record<string, unknown>>;

/** An entry; from PostgreSQL, a row of all its tables. */
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
    waits: toWaits(row.waits),
    bodyHash: hex(row.body_hash),
    bodyLength: Number(row.body_length),
  };
}

/** A claimed entry, from columns in which `run_at` is when it was due. */
export function toClaimed(
  row: Row,
  lease: Lease,
  attempts: number,
  delivery: Delivery,
): ClaimedEntry {
  return {
    seq: Number(row.seq),
    lease: lease.token,
    key: toKey(row),
    kind: decodeNullable(row.kind),
    orderKey: decodeNullable(row.order_key),
    runAt: lease.until,
    attempts,
    finishedHandlers: finishedNames(row.finished_handlers),
    waits: toWaits(row.waits),
    reason: decodeNullable(row.reason),
    dueAt: Number(row.run_at),
    delivery,
  };
}

export function toAttempt(row: Row): AttemptRecord {
  return {
    attempt: Number(row.attempt),
    handler: decodeText(row.handler as string),
    startedAt: Number(row.started_at),
    duration: Number(row.duration_ms),
    outcome: row.outcome as AttemptRecord["outcome"],
    error: decodeNullable(row.error),
    failure: readJson(row.failure) ?? null,
    note: decodeNullable(row.note),
  };
}

export function toSender(row: Row): SenderRecord {
  const count = Number(row.mismatches);
  const bodies = Number(row.bodies);
  const from = Number(row.mismatched_from);
  const to = Number(row.mismatched_to);
  return {
    source: decodeText(row.source as string),
    ...(row.authentic_at !== null && { authenticAt: Number(row.authentic_at) }),
    ...(count > 0 && { mismatches: { count, bodies, from, to } }),
    days: JSON.parse(row.days as string),
  };
}

export function toRunner(row: Row): Runner {
  return {
    id: row.id as string,
    version: row.version as string,
    role: row.role as Role,
    sources: JSON.parse(row.sources as string),
    kinds: JSON.parse(row.kinds as string),
    since: Number(row.since),
  };
}

/** A row of `paused`. */
export function toPause({ scope, name, since, who }: Row): Pause {
  return {
    scope: scope as PauseScope,
    name: decodeText(name as string),
    since: Number(since),
    who: decodeText(who as string),
  };
}

/** A row of `pace`, with `left_over`. */
export function toRetry(row: Row): PacedRetry {
  return {
    id: Number(row.id),
    since: Number(row.since),
    who: decodeText(row.who as string),
    interval: Number(row.interval_ms),
    entries: Number(row.entries),
    left: Number(row.left_over),
    until: Number(row.due_until),
  };
}

/**
 * How many entries wait for each target, from rows with `target` and `entries`, by the target's
 * name.
 */
export function toTargetCounts(rows: readonly Row[]): readonly TargetCount[] {
  return rows
    .map(({ target, entries }) => ({
      target: decodeText(target as string),
      entries: Number(entries),
    }))
    .sort((a, b) => (a.target < b.target ? -1 : 1));
}

/** The stored form of the targets that an entry waits for. */
export function waitsValue(waits: readonly TargetWait[]): string | null {
  if (waits.length === 0) return null;
  return JSON.stringify(waits.map((wait) => ({ ...wait, target: encodeText(wait.target) })));
}

function toWaits(stored: unknown): readonly TargetWait[] {
  const waits = readJson<readonly TargetWait[]>(stored) ?? [];
  return waits.map((wait) => ({ ...wait, target: decodeText(wait.target) }));
}

export function toKey(row: Row): DedupKey {
  return {
    source: decodeText(row.source as string),
    eventId: decodeText(row.event_id as string),
    timestamp: Number(row.key_timestamp),
  };
}

/** The columns of a dedup key. */
export function keyColumns({ timestamp, eventId, source }: DedupKey) {
  return { key_timestamp: timestamp, event_id: encodeText(eventId), source: encodeText(source) };
}

/** The columns of an entry besides its lease and its finished handlers. */
export function entryColumns(entry: Entry) {
  return {
    seq: entry.seq,
    ...keyColumns(entry.key),
    kind: encodeNullable(entry.kind),
    event_timestamp: entry.eventTimestamp,
    state: entry.state,
    reason: encodeNullable(entry.reason),
    problems: entry.problems.length === 0 ? null : JSON.stringify(entry.problems),
    order_key: encodeNullable(entry.orderKey),
    received_at: entry.receivedAt,
    run_at: entry.runAt,
    attempts: entry.attempts,
    duplicates: entry.duplicates,
    last_seen_at: entry.lastSeenAt,
    settled_at: entry.settledAt,
    waits: waitsValue(entry.waits),
    body_hash: entry.bodyHash,
    body_length: entry.bodyLength,
  };
}

/** A digest, which PostgreSQL stores as bytes. */
export function hex(stored: unknown): string {
  return typeof stored === "string" ? stored : Buffer.from(stored as Uint8Array).toString("hex");
}

function readJson<Value>(stored: unknown): Value | undefined {
  return typeof stored === "string" ? (JSON.parse(stored) as Value) : undefined;
}

function nullableNumber(stored: unknown): number | null {
  return stored === null || stored === undefined ? null : Number(stored);
}

function decodeNullable(stored: unknown): string | null {
  return stored === null || stored === undefined ? null : decodeText(stored as string);
}

/** No control characters, and no half of a surrogate pair. */
const PLAIN = /^[^\p{Cc}\p{Cs}]*$/u;

/** Marks an encoded text; a text that itself starts with the mark is encoded too. */
const MARK = "\u0001";

/**
 * Stored headers, without those that HTTP could not have carried: a row may be another program's.
 *
 * @throws SyntaxError if they are not JSON, or no headers
 */
export function readHeaders(stored: unknown): DeliveryHeaders {
  const { carried } = headersOf(stored);
  return Object.fromEntries(carried) as DeliveryHeaders;
}

/** Whether all of the stored headers are such as HTTP carries; throws as {@link readHeaders}. */
export function areCarried(stored: unknown): boolean {
  const { all, carried } = headersOf(stored);
  return carried.length === all.length;
}

function headersOf(stored: unknown) {
  const headers: unknown = JSON.parse(stored as string);
  if (!isRecord(headers)) throw new SyntaxError("expected headers, got another value");
  const all = Object.entries(headers);
  return { all, carried: all.filter(([name, value]) => canCarry(name, value)) };
}

/**
 * Encodes a text so that a store keeps it exactly. Some cut a text at NUL, PostgreSQL refuses it,
 * and all turn half a surrogate pair into U+FFFD, which would make two keys equal.
 */
export function encodeText(text: string): string {
  if (PLAIN.test(text)) return text; // nearly always, and faster than the exact test below
  const safe = !text.includes("\0") && !text.startsWith(MARK) && text.isWellFormed();
  return safe ? text : MARK + JSON.stringify(text);
}

/** The same for a text that there may be none of. */
export function encodeNullable(text: string | null): string | null {
  return text === null ? null : encodeText(text);
}

export function decodeText(stored: string): string {
  return stored.startsWith(MARK) ? JSON.parse(stored.slice(1)) : stored;
}
