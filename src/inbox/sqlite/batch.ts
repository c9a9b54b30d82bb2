import { Bodies, joinBodies } from "./bodies.ts";
import type { WorkResult } from "./commit-together.ts";
import type { Operation } from "./operations.ts";
import { type PackedOperation, packOperation, unpackOperation } from "./packed-operation.ts";
import { type PackedResult, packResult, unpackResult } from "./packed-result.ts";
import type { Packet } from "./writer-messages.ts";

// A value that goes to another thread is cloned, which is slow for objects and fast for one long string. So a batch
// goes as JSON, with its most frequent parts as arrays without names, and all bodies go in one buffer that is
// transferred.

/** Packs a batch of operations. */
export function packBatch(operations: readonly Operation[]): Packet {
  const bodies: Uint8Array[] = [];
  const packed = operations.map((operation) => packOperation(operation, bodies));
  return { text: JSON.stringify(packed), bodies: joinBodies(bodies) };
}

/** The operations of a batch; their bodies are views into its buffer. */
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

/** The results of a batch; their bodies are views into its buffer. */
export function unpackResults({ text, bodies }: Packet): readonly WorkResult[] {
  const rest = new Bodies(bodies);
  return (JSON.parse(text) as PackedResult[]).map((packed) => unpackResult(packed, rest));
}
