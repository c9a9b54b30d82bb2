import { Bodies, joinBodies } from "./bodies.ts";
import type { WorkResult } from "./commit-together.ts";
import type { Operation } from "./operations.ts";
import { type PackedOperation, packOperation, unpackOperation } from "./packed-operation.ts";
import { type PackedResult, packResult, unpackResult } from "./packed-result.ts";
import type { Packet } from "./writer-messages.ts";

// What goes from one thread to another is cloned, which is slow for objects and quick for one long text: so everything
// goes as JSON, what there is most of as lists without names, and the bodies in one piece of memory that changes hands.

/** Packs a batch of operations. */
export function packBatch(operations: readonly Operation[]): Packet {
  const bodies: Uint8Array[] = [];
  const packed = operations.map((operation) => packOperation(operation, bodies));
  return { text: JSON.stringify(packed), bodies: joinBodies(bodies) };
}

/** The operations of a batch, whose bodies are views into its memory. */
export function unpackBatch({ text, bodies }: Packet): readonly Operation[] {
  const rest = new Bodies(bodies);
  return (JSON.parse(text) as PackedOperation[]).map((packed) => unpackOperation(packed, rest));
}

/** Packs the results of a batch. */
export function packResults(operations: readonly Operation[], results: readonly WorkResult[]): Packet {
  const bodies: Uint8Array[] = [];
  const packed = results.map((result, at) => packResult(operations[at]?.name, result, bodies));
  return { text: JSON.stringify(packed), bodies: joinBodies(bodies) };
}

/** The results that were told. */
export function unpackResults({ text, bodies }: Packet): readonly WorkResult[] {
  const rest = new Bodies(bodies);
  return (JSON.parse(text) as PackedResult[]).map((packed) => unpackResult(packed, rest));
}
