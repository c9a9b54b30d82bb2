import type { WorkResult } from "../commit-together.ts";
import type { Operation } from "../operations.ts";
import { readOperation, writeOperation } from "./packed-operation.ts";
import { readResult, writeResult } from "./packed-result.ts";
import { type Packet, PacketReader, PacketWriter } from "./packet.ts";

export function packBatch(operations: readonly Operation[]): Packet {
  const packet = new PacketWriter();
  packet.number(operations.length);
  for (const operation of operations) writeOperation(packet, operation);
  return packet.end();
}

/** The operations of a batch; their bodies are views into its buffer. */
export function unpackBatch(batch: Packet): readonly Operation[] {
  const packet = new PacketReader(batch);
  return Array.from({ length: packet.number() }, () => readOperation(packet));
}

export function packResults(operations: readonly Operation[], results: readonly WorkResult[]): Packet {
  const packet = new PacketWriter();
  packet.number(results.length);
  results.forEach((result, index) => {
    writeResult(packet, operations[index]?.name, result);
  });
  return packet.end();
}

/** The results of a batch; their bodies are views into its buffer. */
export function unpackResults(results: Packet): readonly WorkResult[] {
  const packet = new PacketReader(results);
  return Array.from({ length: packet.number() }, () => readResult(packet));
}
