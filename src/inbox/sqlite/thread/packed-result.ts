import { describeError, ERROR_CODES, type ErrorCode, HookporterError } from "../../../errors.ts";
import type { ClaimedEntry } from "../../claim.ts";
import type { WorkResult } from "../commit-together.ts";
import type { OperationName } from "../operations.ts";
import { readDelivery, writeDelivery } from "./packed-operation.ts";
import type { PacketReader, PacketWriter } from "./packet.ts";

export function writeResult(packet: PacketWriter, name: OperationName | undefined, result: WorkResult): void {
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
  } else {
    packet.text("value");
    packet.json(result.value);
  }
}

export function readResult(packet: PacketReader): WorkResult {
  switch (packet.text()) {
    case "error":
      return { error: unpackError(packet.json()) };
    case "claimed":
      return { value: Array.from({ length: packet.number() }, () => readClaimed(packet)) };
    default:
      return { value: packet.json() };
  }
}

function readClaimed(packet: PacketReader): ClaimedEntry {
  const entry: Omit<ClaimedEntry, "delivery"> = packet.json();
  return { ...entry, delivery: readDelivery(packet) };
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
