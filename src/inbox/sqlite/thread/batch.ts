import {
  describeError,
  ERROR_CODES,
  type ErrorCode,
  HookporterError,
} from "../../../base/errors.ts";
import type { Delivery } from "../../../event/delivery.ts";
import type { Appended, NewEntry } from "../../append.ts";
import type { ClaimedEntry } from "../../claim.ts";
import type { Finish } from "../../inline-runs.ts";
import type { WorkResult } from "../commit-together.ts";
import type { Operation, OperationName } from "../operations.ts";
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

export function packResults(
  operations: readonly Operation[],
  results: readonly WorkResult[],
): Packet {
  const packet = new PacketWriter();
  packet.number(results.length);
  for (const [index, result] of results.entries())
    writeResult(packet, operations[index]?.name, result);
  return packet.end();
}

/** The results of a batch; their bodies are views into its buffer. */
export function unpackResults(results: Packet): readonly WorkResult[] {
  const packet = new PacketReader(results);
  return Array.from({ length: packet.number() }, () => readResult(packet));
}

// The operations of every delivery are written value by value, all others as JSON. Each pair of
// functions below writes and reads the same values in the same order.

function writeOperation(packet: PacketWriter, operation: Operation): void {
  const { name, args } = operation;
  const [first, second] = args;
  packet.text(name);
  if (name === "append") writeEntry(packet, first as NewEntry);
  else if (name === "finish") {
    writeFinish(packet, first as Finish);
    packet.number(second as number);
  } else packet.json(args);
}

function readOperation(packet: PacketReader): Operation {
  const name = packet.text() as Operation["name"];
  if (name === "append") return { name, args: [readEntry(packet)] };
  if (name === "finish") return { name, args: [readFinish(packet), packet.number()] };
  return { name, args: packet.json() };
}

function writeDelivery(packet: PacketWriter, delivery: Delivery): void {
  packet.text(delivery.method);
  packet.text(delivery.target);
  packet.json(delivery.headers);
  packet.bytes(delivery.body);
  packet.number(delivery.receivedAt);
}

/**
 * Reads a delivery from a packet; its body is a view. If it is only stored, its headers stay the
 * JSON that they are.
 */
function readDelivery(packet: PacketReader, isOnlyStored = false): Delivery {
  return {
    method: packet.text(),
    target: packet.text(),
    headers: isOnlyStored ? (packet.text() as never) : packet.json(),
    body: packet.bytes(),
    receivedAt: packet.number(),
  };
}

function writeEntry(packet: PacketWriter, entry: NewEntry): void {
  const { key, lease } = entry;
  packet.text(lease?.token ?? null);
  packet.number(lease?.until ?? Number.NaN);
  packet.text(key.source);
  packet.text(key.eventId);
  packet.number(key.timestamp);
  packet.text(entry.kind);
  packet.number(entry.eventTimestamp ?? Number.NaN);
  packet.text(entry.state);
  packet.text(entry.reason);
  packet.json(entry.problems);
  packet.text(entry.orderKey);
  packet.number(entry.runAt ?? Number.NaN);
  packet.number(entry.afterPruning === true ? 1 : 0);
  writeDelivery(packet, entry.delivery);
}

function readEntry(packet: PacketReader): NewEntry {
  const token = packet.textOrNull();
  const until = packet.number();
  return {
    lease: token === null ? undefined : { token, until },
    key: { source: packet.text(), eventId: packet.text(), timestamp: packet.number() },
    kind: packet.textOrNull(),
    eventTimestamp: packet.numberOr(null),
    state: packet.text() as NewEntry["state"],
    reason: packet.textOrNull(),
    problems: packet.json(),
    orderKey: packet.textOrNull(),
    runAt: packet.numberOr(undefined),
    afterPruning: packet.number() === 1,
    delivery: readDelivery(packet, true),
  };
}

function writeFinish(packet: PacketWriter, { seq, lease, runAt, runs, ordered }: Finish): void {
  packet.number(seq);
  packet.text(lease);
  packet.number(runAt);
  packet.text(runs);
  packet.number(ordered ? 1 : 0);
}

function readFinish(packet: PacketReader): Finish {
  return {
    seq: packet.number(),
    lease: packet.text(),
    runAt: packet.number(),
    runs: packet.text(),
    ordered: packet.number() === 1,
  };
}

function writeResult(
  packet: PacketWriter,
  name: OperationName | undefined,
  result: WorkResult,
): void {
  if ("error" in result) {
    packet.text("error");
    packet.json(packError(result.error));
  } else if (name === "claim") {
    const entries = result.value as readonly ClaimedEntry[];
    packet.text("claimed");
    packet.number(entries.length);
    for (const { delivery, ...entry } of entries) {
      packet.json(entry);
      writeDelivery(packet, delivery);
    }
  } else if (name === "append" && result.value !== undefined) {
    const { seq, duplicate, state, leased } = result.value as Appended;
    packet.text("appended");
    packet.number(seq);
    packet.number(duplicate ? 1 : 0);
    packet.number(leased === true ? 1 : 0);
    packet.text(state);
  } else {
    packet.text("value");
    packet.json(result.value);
  }
}

function readResult(packet: PacketReader): WorkResult {
  switch (packet.text()) {
    case "error":
      return { error: unpackError(packet.json()) };
    case "claimed":
      return {
        value: Array.from({ length: packet.number() }, () => ({
          ...packet.json<Omit<ClaimedEntry, "delivery">>(),
          delivery: readDelivery(packet),
        })),
      };
    case "appended": {
      const seq = packet.number();
      const duplicate = packet.number() === 1;
      const leased = packet.number() === 1;
      return { value: { seq, duplicate, leased: leased || undefined, state: packet.text() } };
    }
    default:
      return { value: packet.json() };
  }
}

/** An error as a plain value: cloned between threads it would lose its class and its codes. */
type PackedError = { readonly message: string; readonly code?: string; readonly errcode?: number };

function packError(thrown: unknown): PackedError {
  const { code, errcode } = (thrown ?? {}) as { code?: unknown; errcode?: unknown };
  return {
    message: describeError(thrown),
    ...(thrown instanceof HookporterError && typeof code === "string" && { code }),
    ...(typeof errcode === "number" && { errcode }),
  };
}

function unpackError({ message, code, errcode }: PackedError): Error {
  if (code !== undefined && Object.hasOwn(ERROR_CODES, code))
    return new HookporterError(code as ErrorCode, message);
  return Object.assign(new Error(message), errcode !== undefined && { errcode });
}
