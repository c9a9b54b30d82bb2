import type { WorkResult } from "../commit-together.ts";
import type { Appended, EntryState } from "../inbox.ts";
import type { Operation } from "./operations.ts";
import type { NewRows } from "./rows.ts";
import { tellError, toldError } from "./told-error.ts";
import type { Batch, PackedRows, ToldResult } from "./writer-messages.ts";

// Objects are slow to read on the other side of a thread, lists of plain values are not: what there is most of goes as
// lists.

/** Makes a batch of operations: bodies go into one piece of memory. */
export function packBatch(operations: readonly Operation[]): Batch {
  const length = operations.reduce((sum, operation) => sum + (rowsOf(operation)?.body.byteLength ?? 0), 0);
  const bodies = new Uint8Array(length);
  let at = 0;
  const packed = operations.map((operation) => {
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
  const appended = name === "append" ? (result.value as Appended | undefined) : undefined;
  return appended === undefined ? result : [appended.seq, appended.duplicate, appended.state];
}

/** The result that was told. */
export function unpackResult(told: ToldResult): WorkResult {
  if ("error" in told) return { error: toldError(told.error) };
  if ("value" in told) return told;
  const [seq, duplicate, state] = told;
  return { value: { seq, duplicate, state: state as EntryState } satisfies Appended };
}

function rowsOf({ name, given }: Operation): NewRows | undefined {
  return name === "append" ? (given[0] as NewRows) : undefined;
}
