import type { WorkResult } from "../commit-together.ts";
import type { Appended, ClaimedEntry, EntryState } from "../inbox.ts";
import type { Operation } from "./operations.ts";
import type { NewRows } from "./rows.ts";
import { tellError, toldError } from "./told-error.ts";
import type { Batch, PackedClaim, PackedRows, ToldResult } from "./writer-messages.ts";

// Objects are slow to read on the other side of a thread; lists of plain values, and JSON, are not: what there is most of
// goes as those. Bodies go in one piece of memory.

/** Makes a batch of operations: bodies go into one piece of memory. */
export function packBatch(operations: readonly Operation[]): Batch {
  const length = operations.reduce((sum, operation) => sum + (rowsOf(operation)?.body.byteLength ?? 0), 0);
  // Never nothing: Node's own SQLite takes an empty view into no memory for NULL.
  const bodies = new Uint8Array(Math.max(1, length));
  let at = 0;
  const packed = operations.map((operation) => {
    if (operation.name === "settle") return JSON.stringify(operation);
    const rows = rowsOf(operation);
    if (rows === undefined) return operation;
    const { values, unlessPruned, method, target, headers, body } = rows;
    bodies.set(body, at);
    at += body.byteLength;
    return [unlessPruned, method, target, headers, body.byteLength, ...values] as PackedRows;
  });
  return { operations: packed, bodies: bodies.buffer };
}

/** The operations of a batch, whose bodies are views into its memory. */
export function unpackBatch({ operations, bodies }: Batch): readonly Operation[] {
  let at = 0;
  return operations.map((operation) => {
    if (typeof operation === "string") return JSON.parse(operation);
    if ("name" in operation) return operation;
    const [unlessPruned, method, target, headers, length, ...values] = operation;
    const body = new Uint8Array(bodies, at, length);
    at += length;
    const rows: NewRows = { values, unlessPruned, method, target, headers, body };
    return { name: "append", given: [rows] };
  });
}

/** The result of an operation as it is told. */
export function packResult({ name }: Operation, result: WorkResult): ToldResult {
  if ("error" in result) return { error: tellError(result.error) };
  if (name === "claim") return packClaimed(result.value as readonly ClaimedEntry[]);
  const appended = name === "append" ? (result.value as Appended | undefined) : undefined;
  return appended === undefined ? result : [appended.seq, appended.duplicate, appended.state];
}

/** The result that was told. */
export function unpackResult(told: ToldResult): WorkResult {
  if ("error" in told) return { error: toldError(told.error) };
  if ("value" in told) return told;
  if ("claimed" in told) return { value: unpackClaimed(told) };
  const [seq, duplicate, state] = told;
  return { value: { seq, duplicate, state: state as EntryState } satisfies Appended };
}

/** What changes hands with an answer instead of being copied. */
export function transfersOf(results: readonly ToldResult[]): readonly ArrayBuffer[] {
  return results.flatMap((told) => ("claimed" in told ? [told.bodies] : []));
}

function packClaimed(entries: readonly ClaimedEntry[]): PackedClaim {
  const bodies = new Uint8Array(entries.reduce((sum, { delivery }) => sum + delivery.body.byteLength, 0));
  let at = 0;
  const packed = entries.map((entry) => {
    const { body } = entry.delivery;
    bodies.set(body, at);
    at += body.byteLength;
    return { ...entry, delivery: { ...entry.delivery, body: body.byteLength } };
  });
  return { claimed: JSON.stringify(packed), bodies: bodies.buffer };
}

function unpackClaimed({ claimed, bodies }: PackedClaim): readonly ClaimedEntry[] {
  let at = 0;
  return JSON.parse(claimed).map((entry: ClaimedEntry) => {
    const length = entry.delivery.body as unknown as number;
    const body = new Uint8Array(bodies, at, length);
    at += length;
    return { ...entry, delivery: { ...entry.delivery, body } };
  });
}

function rowsOf({ name, given }: Operation): NewRows | undefined {
  return name === "append" ? (given[0] as NewRows) : undefined;
}
