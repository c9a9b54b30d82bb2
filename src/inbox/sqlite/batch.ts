import type { NewEntry } from "../inbox.ts";
import type { Operation } from "./operations.ts";
import type { Batch, BodyPlace } from "./writer-messages.ts";

/** Makes a batch of operations: the bodies of their deliveries go into one piece of memory. */
export function packBatch(operations: readonly Operation[]): Batch {
  const length = operations.reduce(
    (sum, operation) => sum + (entryOf(operation)?.delivery.body.byteLength ?? 0),
    0,
  );
  const bodies = new Uint8Array(length);
  let at = 0;
  const packed = operations.map((operation) => {
    const entry = entryOf(operation);
    if (entry === undefined) return operation;
    const { body } = entry.delivery;
    const place: BodyPlace = { at, length: body.byteLength };
    bodies.set(body, at);
    at += body.byteLength;
    return { ...operation, given: [{ ...entry, delivery: { ...entry.delivery, body: place } }] };
  });
  return { operations: packed, bodies: bodies.buffer };
}

/** The operations of a batch, whose bodies are views into its memory. */
export function unpackBatch({ operations, bodies }: Batch): readonly Operation[] {
  return operations.map((operation) => {
    const entry = entryOf(operation);
    if (entry === undefined) return operation;
    const { at, length } = entry.delivery.body as unknown as BodyPlace;
    const delivery = { ...entry.delivery, body: new Uint8Array(bodies, at, length) };
    return { ...operation, given: [{ ...entry, delivery }] };
  });
}

function entryOf({ name, given }: Operation): NewEntry | undefined {
  return name === "append" ? (given[0] as NewEntry) : undefined;
}
