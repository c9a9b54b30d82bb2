import type { Delivery } from "../../event/delivery.ts";
import type { NewEntry } from "../append.ts";
import type { AttemptRecord } from "../attempt-record.ts";
import type { KeepTerms } from "../kept.ts";
import type { Settlement } from "../settlement.ts";
import type { Bodies } from "./bodies.ts";
import type { Operation } from "./operations.ts";

/** An operation without its bodies, which go in a separate buffer. */
export type PackedOperation =
  | PackedKeep
  | PackedSettle
  | readonly ["append", EntryWithoutBody]
  | readonly ["other", Operation];

/** Packs an operation and appends its body to `bodies`. */
export function packOperation(operation: Operation, bodies: Uint8Array[]): PackedOperation {
  const [first, second] = operation.args;
  switch (operation.name) {
    case "keep":
      return packKeep(first as Delivery, second as KeepTerms, bodies);
    case "settle":
      return packSettle(first as Settlement, second as number);
    case "append":
      return ["append", withoutBody(first as NewEntry, bodies)];
    default:
      return ["other", operation];
  }
}

/** Unpacks an operation; its body is the next in `rest`. */
export function unpackOperation(packed: PackedOperation, rest: Bodies): Operation {
  switch (packed[0]) {
    case "keep":
      return { name: "keep", args: unpackKeep(packed, rest) };
    case "settle":
      return { name: "settle", args: unpackSettle(packed) };
    case "append":
      return { name: "append", args: [withBody(packed[1], rest)] };
    default:
      return packed[1];
  }
}

// Times are written as differences from one of them, since small numbers are much faster to write and read.

type PackedKeep = ReturnType<typeof packKeep>;

function packKeep(delivery: Delivery, terms: KeepTerms, bodies: Uint8Array[]) {
  const { method, target, headers, body, receivedAt } = delivery;
  const { source, now, maxAge, maxSkew, holdMs, lease } = terms;
  bodies.push(body);
  // biome-ignore format: one thing a line
  return [
    "keep",
    method, target, headers, body.byteLength, receivedAt,
    source, now - receivedAt, maxAge, maxSkew, holdMs,
    lease?.token ?? null, lease === undefined ? 0 : lease.until - receivedAt,
  ] as const;
}

function unpackKeep(packed: PackedKeep, rest: Bodies): [Delivery, KeepTerms] {
  // biome-ignore format: one thing a line
  const [
    ,
    method, target, headers, length, receivedAt,
    source, toNow, maxAge, maxSkew, holdMs,
    token, toEnd,
  ] = packed;
  const lease = token === null ? undefined : { token, until: receivedAt + toEnd };
  return [
    { method, target, headers, body: rest.take(length), receivedAt },
    { source, now: receivedAt + toNow, maxAge, maxSkew, holdMs, lease },
  ];
}

type PackedSettle = ReturnType<typeof packSettle>;

function packSettle(settlement: Settlement, now: number) {
  const { seq, lease, state, reason, problems, runAt, finishedHandlers, waits } = settlement;
  const { uncount = false, unordered = false } = settlement;
  const records = settlement.records.map((record) => packRecord(record, now));
  // biome-ignore format: one thing a line
  return [
    "settle", now,
    seq, lease, state, reason, problems, runAt - now, finishedHandlers, uncount, unordered, records, waits ?? null,
  ] as const;
}

function unpackSettle(packed: PackedSettle): [Settlement, number] {
  // biome-ignore format: one thing a line
  const [
    , now,
    seq, lease, state, reason, problems, toRun, finishedHandlers, uncount, unordered, packedRecords, packedWaits,
  ] = packed;
  const records = packedRecords.map((record) => unpackRecord(record, now));
  const runAt = now + toRun;
  const rest = { uncount, unordered, records, ...(packedWaits !== null && { waits: packedWaits }) };
  return [{ seq, lease, state, reason, problems, runAt, finishedHandlers, ...rest }, now];
}

function packRecord(record: AttemptRecord, now: number) {
  const { attempt, handler, startedAt, durationMs, outcome, error, failure, note } = record;
  return [attempt, handler, startedAt - now, durationMs, outcome, error, failure, note] as const;
}

function unpackRecord(packed: ReturnType<typeof packRecord>, now: number): AttemptRecord {
  const [attempt, handler, toStart, durationMs, outcome, error, failure, note] = packed;
  return { attempt, handler, startedAt: now + toStart, durationMs, outcome, error, failure, note };
}

/** An entry with the length of its delivery's body in place of the body. */
interface EntryWithoutBody extends Omit<NewEntry, "delivery"> {
  readonly delivery: Omit<Delivery, "body"> & { readonly body: number };
}

function withoutBody(entry: NewEntry, bodies: Uint8Array[]): EntryWithoutBody {
  const { delivery } = entry;
  bodies.push(delivery.body);
  return { ...entry, delivery: { ...delivery, body: delivery.body.byteLength } };
}

function withBody(entry: EntryWithoutBody, rest: Bodies): NewEntry {
  const { delivery } = entry;
  return { ...entry, delivery: { ...delivery, body: rest.take(delivery.body) } };
}
