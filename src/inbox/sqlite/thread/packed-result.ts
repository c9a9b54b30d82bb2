import { describeError, ERROR_CODES, type ErrorCode, HookporterError } from "../../../errors.ts";
import type { Appended } from "../../append.ts";
import type { ClaimedEntry } from "../../claim.ts";
import type { WorkResult } from "../commit-together.ts";
import type { OperationName } from "../operations.ts";
import { readDelivery, writeDelivery } from "./packed-operation.ts";
import type { PacketReader, PacketWriter } from "./packet.ts";

export function writeResult(packet: PacketWriter, name: OperationName | undefined, result: WorkResult): void {
  if ("error" in result) {
    packet.text("error");
    packet.json(packError(result.error));
  } else if (name === "append" && result.value !== undefined) {
    packet.text("appended");
    writeAppended(packet, result.value as Appended);
  } else if (name === "claim") {
    const entries = result.value as readonly ClaimedEntry[];
    packet.text("claimed");
    packet.number(entries.length);
    for (const entry of entries) writeClaimed(packet, entry);
  } else {
    packet.text("value");
    packet.json(result.value);
  }
}

export function readResult(packet: PacketReader): WorkResult {
  switch (packet.text()) {
    case "error":
      return { error: unpackError(packet.json()) };
    case "appended":
      return { value: readAppended(packet) };
    case "claimed":
      return { value: Array.from({ length: packet.number() }, () => readClaimed(packet)) };
    default:
      return { value: packet.json() };
  }
}

function writeAppended(packet: PacketWriter, { seq, duplicate, state, leased }: Appended): void {
  packet.number(seq);
  packet.number(duplicate ? 1 : 0);
  packet.text(state);
  packet.number(leased === true ? 1 : 0);
}

function readAppended(packet: PacketReader): Appended {
  const seq = packet.number();
  const duplicate = packet.number() === 1;
  const state = packet.text() as Appended["state"];
  const leased = packet.number() === 1;
  return duplicate ? { seq, duplicate, state } : { seq, duplicate, state, leased };
}

function writeClaimed(packet: PacketWriter, entry: ClaimedEntry): void {
  const { key } = entry;
  packet.number(entry.seq);
  packet.text(entry.lease);
  packet.text(key.source);
  packet.text(key.eventId);
  packet.number(key.timestamp);
  packet.text(entry.kind);
  packet.text(entry.orderKey);
  packet.number(entry.runAt);
  packet.number(entry.attempts);
  packet.json(entry.finishedHandlers.length === 0 ? undefined : entry.finishedHandlers);
  packet.json(entry.waits);
  packet.text(entry.reason ?? null);
  packet.json(entry.dueAt);
  packet.json(entry.unreadable);
  writeDelivery(packet, entry.delivery);
}

function readClaimed(packet: PacketReader): ClaimedEntry {
  return {
    seq: packet.number(),
    lease: packet.text(),
    key: { source: packet.text(), eventId: packet.text(), timestamp: packet.number() },
    kind: packet.textOrNull(),
    orderKey: packet.textOrNull(),
    runAt: packet.number(),
    attempts: packet.number(),
    finishedHandlers: packet.json() ?? [],
    waits: packet.json(),
    reason: packet.textOrNull(),
    dueAt: packet.json(),
    unreadable: packet.json(),
    delivery: readDelivery(packet),
  };
}

/** An error as a plain value: cloned between threads it would lose its class and its codes. */
interface PackedError {
  readonly message: string;
  /** The code of a `HookporterError`. */
  readonly code?: string;
  /** SQLite's result code. */
  readonly errcode?: number;
}

function packError(thrown: unknown): PackedError {
  const { code, errcode } = (thrown ?? {}) as { code?: unknown; errcode?: unknown };
  return {
    message: describeError(thrown),
    ...(thrown instanceof HookporterError && typeof code === "string" && { code }),
    ...(typeof errcode === "number" && { errcode }),
  };
}

function unpackError({ message, code, errcode }: PackedError): Error {
  if (code !== undefined && isErrorCode(code)) return new HookporterError(code, message);
  return Object.assign(new Error(message), errcode !== undefined && { errcode });
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERROR_CODES, code);
}
