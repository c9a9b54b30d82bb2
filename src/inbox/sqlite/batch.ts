import type { Delivery } from "../../event/delivery.ts";
import type { WorkResult } from "../commit-together.ts";
import type {
  AttemptRecord,
  ClaimedEntry,
  KeepTerms,
  Kept,
  KeptEvent,
  NewEntry,
  Settlement,
} from "../inbox.ts";
import type { Operation } from "./operations.ts";
import { tellError, toldError } from "./told-error.ts";
import type { Packet, ToldError } from "./writer-messages.ts";

// What goes from one thread to another is cloned, which is slow for objects and quick for one long text: so everything
// goes as JSON, what there is most of as lists without names, and the bodies in one piece of memory that changes hands.

/** Packs a batch of operations. */
export function packBatch(operations: readonly Operation[]): Packet {
  const bodies: Uint8Array[] = [];
  const packed = operations.map((operation) => packOperation(operation, bodies));
  return { text: JSON.stringify(packed), bodies: join(bodies) };
}

/** The operations of a batch, whose bodies are views into its memory. */
export function unpackBatch({ text, bodies }: Packet): readonly Operation[] {
  const rest = new Bodies(bodies);
  return (JSON.parse(text) as PackedOperation[]).map((packed) => unpackOperation(packed, rest));
}

/** Packs the results of a batch. */
export function packResults(operations: readonly Operation[], results: readonly WorkResult[]): Packet {
  const bodies: Uint8Array[] = [];
  const packed = results.map((result, index): PackedResult => {
    if ("error" in result) return { error: tellError(result.error) };
    const { value } = result;
    const name = operations[index]?.name;
    if (name === "keep" && !("rejection" in (value as Kept))) return packKept(value as KeptEvent);
    if (name !== "claim") return { value };
    return { claimed: (value as readonly ClaimedEntry[]).map((entry) => packClaimed(entry, bodies)) };
  });
  return { text: JSON.stringify(packed), bodies: join(bodies) };
}

/** The results that were told. */
export function unpackResults({ text, bodies }: Packet): readonly WorkResult[] {
  const rest = new Bodies(bodies);
  return (JSON.parse(text) as PackedResult[]).map((packed): WorkResult => {
    if (isList(packed)) return { value: unpackKept(packed) };
    if ("error" in packed) return { error: toldError(packed.error) };
    if ("claimed" in packed) return { value: packed.claimed.map((entry) => unpackClaimed(entry, rest)) };
    return { value: packed.value };
  });
}

type PackedResult =
  | { readonly value: unknown }
  | { readonly error: ToldError }
  | { readonly claimed: readonly PackedClaimed[] }
  | PackedKept;

function isList<List extends readonly unknown[]>(packed: List | object): packed is List {
  return Array.isArray(packed);
}

/** An operation's name, and what it is given. */
type PackedOperation =
  | PackedKeep
  | PackedSettle
  | readonly ["append", EntryWithoutBody]
  | readonly ["other", Operation];

function packOperation(operation: Operation, bodies: Uint8Array[]): PackedOperation {
  const [first, second] = operation.given;
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

function unpackOperation(packed: PackedOperation, rest: Bodies): Operation {
  switch (packed[0]) {
    case "keep":
      return { name: "keep", given: unpackKeep(packed, rest) };
    case "settle":
      return { name: "settle", given: unpackSettle(packed) };
    case "append":
      return { name: "append", given: [withBody(packed[1], rest)] };
    default:
      return packed[1];
  }
}

// Times as distances from one of them: small numbers are written and read in a fraction of the time.

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
  const { seq, lease, state, reason, runAt, finishedHandlers } = settlement;
  const { uncount = false, unordered = false } = settlement;
  const records = settlement.records.map((record) => packRecord(record, now));
  // biome-ignore format: one thing a line
  return [
    "settle", now,
    seq, lease, state, reason, runAt - now, finishedHandlers, uncount, unordered, records,
  ] as const;
}

function unpackSettle(packed: PackedSettle): [Settlement, number] {
  const [, now, seq, lease, state, reason, toRun, finishedHandlers, uncount, unordered, packedRecords] =
    packed;
  const records = packedRecords.map((record) => unpackRecord(record, now));
  const runAt = now + toRun;
  return [{ seq, lease, state, reason, runAt, finishedHandlers, uncount, unordered, records }, now];
}

function packRecord(record: AttemptRecord, now: number) {
  const { attempt, handler, startedAt, durationMs, outcome, error, note } = record;
  return [attempt, handler, startedAt - now, durationMs, outcome, error, note] as const;
}

function unpackRecord(packed: ReturnType<typeof packRecord>, now: number): AttemptRecord {
  const [attempt, handler, toStart, durationMs, outcome, error, note] = packed;
  return { attempt, handler, startedAt: now + toStart, durationMs, outcome, error, note };
}

type PackedKept = ReturnType<typeof packKept>;

function packKept({ seq, duplicate, state, leased, key, kind, timestamp, content, fits }: KeptEvent) {
  const { source, eventId } = key;
  // biome-ignore format: one thing a line
  return [
    seq, duplicate, state, leased === true,
    source, eventId, key.timestamp, kind, timestamp - key.timestamp, content, fits,
  ] as const;
}

function unpackKept(packed: PackedKept): KeptEvent {
  const [seq, duplicate, state, leased, source, eventId, timestamp, kind, toOwn, content, fits] = packed;
  const key = { source, eventId, timestamp };
  return { seq, duplicate, state, leased, key, kind, timestamp: timestamp + toOwn, content, fits };
}

type PackedClaimed = ReturnType<typeof packClaimed>;

function packClaimed(entry: ClaimedEntry, bodies: Uint8Array[]) {
  const { seq, lease, key, kind, orderKey, runAt, attempts, finishedHandlers, delivery } = entry;
  const { method, target, headers, body, receivedAt } = delivery;
  bodies.push(body);
  // biome-ignore format: one thing a line
  return [
    key.source, key.eventId, key.timestamp,
    seq, lease, kind, orderKey, runAt, attempts, finishedHandlers,
    method, target, headers, body.byteLength, receivedAt,
  ] as const;
}

function unpackClaimed(packed: PackedClaimed, rest: Bodies): ClaimedEntry {
  // biome-ignore format: one thing a line
  const [
    source, eventId, timestamp,
    seq, lease, kind, orderKey, runAt, attempts, finishedHandlers,
    method, target, headers, length, receivedAt,
  ] = packed;
  return {
    seq,
    lease,
    key: { source, eventId, timestamp },
    kind,
    orderKey,
    runAt,
    attempts,
    finishedHandlers,
    delivery: { method, target, headers, body: rest.take(length), receivedAt },
  };
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

/** Never nothing: Node's own SQLite takes an empty view into no memory for NULL. */
function join(bodies: readonly Uint8Array[]): ArrayBuffer {
  const length = bodies.reduce((sum, { byteLength }) => sum + byteLength, 0);
  const joined = new Uint8Array(Math.max(1, length));
  let at = 0;
  for (const body of bodies) {
    joined.set(body, at);
    at += body.byteLength;
  }
  return joined.buffer;
}

/** Gives one body after another out of a joined piece of memory. */
class Bodies {
  readonly #joined: ArrayBuffer;
  #at = 0;

  constructor(joined: ArrayBuffer) {
    this.#joined = joined;
  }

  take(length: number): Uint8Array {
    const body = new Uint8Array(this.#joined, this.#at, length);
    this.#at += length;
    return body;
  }
}
