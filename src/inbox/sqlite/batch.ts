import type { Delivery } from "../../event/delivery.ts";
import type { WorkResult } from "../commit-together.ts";
import type { Appended, ClaimedEntry, NewEntry } from "../inbox.ts";
import type { Operation } from "./operations.ts";
import { tellError, toldError } from "./told-error.ts";
import type { Packet, ToldError } from "./writer-messages.ts";

// What goes from one thread to another is cloned, which is slow for objects and quick for one long text: so everything
// goes as JSON, what there is most of as lists without names, and the bodies in one piece of memory that changes hands.

/** Packs a batch of operations. */
export function packBatch(operations: readonly Operation[]): Packet {
  const bodies: Uint8Array[] = [];
  const packed = operations.map((operation): PackedOperation => {
    if (operation.name !== "append") return operation;
    const entry = operation.given[0] as NewEntry;
    bodies.push(entry.delivery.body);
    return packEntry(entry);
  });
  return { text: JSON.stringify(packed), bodies: join(bodies) };
}

/** The operations of a batch, whose bodies are views into its memory. */
export function unpackBatch({ text, bodies }: Packet): readonly Operation[] {
  const rest = new Bodies(bodies);
  return (JSON.parse(text) as PackedOperation[]).map((packed) =>
    isList(packed) ? { name: "append", given: [unpackEntry(packed, rest)] } : packed,
  );
}

/** Packs the results of a batch. */
export function packResults(operations: readonly Operation[], results: readonly WorkResult[]): Packet {
  const bodies: Uint8Array[] = [];
  const packed = results.map((result, index): PackedResult => {
    if ("error" in result) return { error: tellError(result.error) };
    const name = operations[index]?.name;
    if (name === "append" && result.value !== undefined) return packAppended(result.value as Appended);
    if (name !== "claim") return { value: result.value };
    return { claimed: (result.value as readonly ClaimedEntry[]).map((entry) => withoutBody(entry, bodies)) };
  });
  return { text: JSON.stringify(packed), bodies: join(bodies) };
}

/** The results that were told. */
export function unpackResults({ text, bodies }: Packet): readonly WorkResult[] {
  const rest = new Bodies(bodies);
  return (JSON.parse(text) as PackedResult[]).map((packed): WorkResult => {
    if (isList(packed)) return { value: unpackAppended(packed) };
    if ("error" in packed) return { error: toldError(packed.error) };
    if ("claimed" in packed) return { value: packed.claimed.map((entry) => withBody(entry, rest)) };
    return { value: packed.value };
  });
}

type PackedOperation = Operation | PackedEntry;

type PackedResult =
  | { readonly value: unknown }
  | { readonly error: ToldError }
  | { readonly claimed: readonly ClaimedWithoutBody[] }
  | PackedAppended;

function isList<List extends readonly unknown[]>(packed: List | object): packed is List {
  return Array.isArray(packed);
}

type PackedEntry = ReturnType<typeof packEntry>;

function packEntry({ key, delivery, ...entry }: NewEntry) {
  const { kind, eventTimestamp, state, reason, orderKey, runAt = null, afterPruning = false } = entry;
  const { method, target, headers, body, receivedAt } = delivery;
  // biome-ignore format: one thing a line
  return [
    key.timestamp, key.eventId, key.source,
    kind, eventTimestamp, state, reason, orderKey, runAt, afterPruning,
    method, target, headers, body.byteLength, receivedAt,
  ] as const;
}

function unpackEntry(packed: PackedEntry, rest: Bodies): NewEntry {
  // biome-ignore format: one thing a line
  const [
    timestamp, eventId, source,
    kind, eventTimestamp, state, reason, orderKey, runAt, afterPruning,
    method, target, headers, length, receivedAt,
  ] = packed;
  const entry: NewEntry = {
    key: { timestamp, eventId, source },
    ...{ kind, eventTimestamp, state, reason, orderKey, afterPruning },
    delivery: { method, target, headers, body: rest.take(length), receivedAt },
  };
  return runAt === null ? entry : { ...entry, runAt };
}

type PackedAppended = ReturnType<typeof packAppended>;

function packAppended({ seq, duplicate, state }: Appended) {
  return [seq, duplicate, state] as const;
}

function unpackAppended([seq, duplicate, state]: PackedAppended): Appended {
  return { seq, duplicate, state };
}

/** A claimed entry, with the length of its body in place of the body. */
type ClaimedWithoutBody = Omit<ClaimedEntry, "delivery"> & {
  readonly delivery: Omit<Delivery, "body"> & { readonly body: number };
};

function withoutBody(entry: ClaimedEntry, bodies: Uint8Array[]): ClaimedWithoutBody {
  const { body } = entry.delivery;
  bodies.push(body);
  return { ...entry, delivery: { ...entry.delivery, body: body.byteLength } };
}

function withBody(entry: ClaimedWithoutBody, rest: Bodies): ClaimedEntry {
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
