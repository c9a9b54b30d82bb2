import { describeError, ERROR_CODES, type ErrorCode, HookporterError } from "../../errors.ts";
import type { ClaimedEntry } from "../claim.ts";
import type { Kept, KeptEvent } from "../kept.ts";
import type { Bodies } from "./bodies.ts";
import type { WorkResult } from "./commit-together.ts";
import type { OperationName } from "./operations.ts";

/** The result of an operation without its bodies, which go in a separate buffer. */
export type PackedResult =
  | { readonly value: unknown }
  | { readonly error: PackedError }
  | { readonly claimed: readonly PackedClaimed[] }
  | PackedKept;

/** Packs the result of an operation of this name and appends its bodies to `bodies`. */
export function packResult(
  name: OperationName | undefined,
  result: WorkResult,
  bodies: Uint8Array[],
): PackedResult {
  if ("error" in result) return { error: packError(result.error) };
  const { value } = result;
  if (name === "keep" && !("rejection" in (value as Kept))) return packKept(value as KeptEvent);
  if (name !== "claim") return { value };
  return { claimed: (value as readonly ClaimedEntry[]).map((entry) => packClaimed(entry, bodies)) };
}

/** Unpacks a result; its bodies are the next in `rest`. */
export function unpackResult(packed: PackedResult, rest: Bodies): WorkResult {
  if (isList(packed)) return { value: unpackKept(packed) };
  if ("error" in packed) return { error: unpackError(packed.error) };
  if ("claimed" in packed) return { value: packed.claimed.map((entry) => unpackClaimed(entry, rest)) };
  return { value: packed.value };
}

function isList<List extends readonly unknown[]>(packed: List | object): packed is List {
  return Array.isArray(packed);
}

type PackedKept = ReturnType<typeof packKept>;

function packKept({ seq, duplicate, state, leased, key, kind, timestamp, content, problems }: KeptEvent) {
  const { source, eventId } = key;
  // biome-ignore format: one thing a line
  return [
    seq, duplicate, state, leased === true,
    source, eventId, key.timestamp, kind, timestamp - key.timestamp, content, problems,
  ] as const;
}

function unpackKept(packed: PackedKept): KeptEvent {
  const [seq, duplicate, state, leased, source, eventId, timestamp, kind, toOwn, content, problems] = packed;
  const key = { source, eventId, timestamp };
  return { seq, duplicate, state, leased, key, kind, timestamp: timestamp + toOwn, content, problems };
}

type PackedClaimed = ReturnType<typeof packClaimed>;

function packClaimed(entry: ClaimedEntry, bodies: Uint8Array[]) {
  const { seq, lease, key, kind, orderKey, runAt, attempts, finishedHandlers, delivery, unreadable } = entry;
  const { waits = [], dueAt = delivery.receivedAt, reason = null } = entry;
  const { method, target, headers, body, receivedAt } = delivery;
  bodies.push(body);
  // biome-ignore format: one thing a line
  return [
    key.source, key.eventId, key.timestamp,
    seq, lease, kind, orderKey, runAt, attempts, finishedHandlers,
    method, target, headers, body.byteLength, receivedAt, unreadable ?? null,
    waits, dueAt, reason,
  ] as const;
}

function unpackClaimed(packed: PackedClaimed, rest: Bodies): ClaimedEntry {
  // biome-ignore format: one thing a line
  const [
    source, eventId, timestamp,
    seq, lease, kind, orderKey, runAt, attempts, finishedHandlers,
    method, target, headers, length, receivedAt, unreadable,
    waits, dueAt, reason,
  ] = packed;
  return {
    ...(unreadable !== null && { unreadable }),
    seq,
    lease,
    key: { source, eventId, timestamp },
    kind,
    orderKey,
    runAt,
    attempts,
    finishedHandlers,
    waits,
    dueAt,
    reason,
    delivery: { method, target, headers, body: rest.take(length), receivedAt },
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
