import { createHash } from "node:crypto";
import type { Delivery } from "../../event/delivery.ts";
import type { DedupKey } from "../../event/identity.ts";
import type { NewEntry } from "../append.ts";
import type { AttemptRecord } from "../attempt-record.ts";
import type { ClaimedEntry } from "../claim.ts";
import type { Entry } from "../entry.ts";
import { noDelivery } from "../unreadable.ts";

/** An entry as the memory inbox stores it: mutable, with its delivery and records. */
export interface Stored {
  entry: Entry;
  lease: string | null;
  /** With which it ended last, so that a settlement can be repeated. */
  lastLease?: string | null;
  /** `undefined` once slimmed. */
  delivery: Delivery | undefined;
  readonly records: AttemptRecord[];
}

export function newEntry(seq: number, { delivery, afterPruning: _, runAt, lease, ...next }: NewEntry): Entry {
  return {
    seq,
    ...next,
    problems: next.problems ?? [],
    state: lease === undefined ? next.state : "running",
    receivedAt: delivery.receivedAt,
    runAt: lease?.until ?? runAt ?? delivery.receivedAt,
    attempts: lease === undefined ? 0 : 1,
    duplicates: 0,
    lastSeenAt: delivery.receivedAt,
    settledAt: next.state === "dead" ? delivery.receivedAt : null,
    finishedHandlers: [],
    waits: [],
    bodyHash: createHash("sha256").update(delivery.body).digest("hex"),
    bodyLength: delivery.body.byteLength,
  };
}

/** The claimed entry; `dueAt` is from before the claim. */
export function toClaimed({ entry, lease, delivery }: Stored, dueAt: number): ClaimedEntry {
  const { seq, key, kind, orderKey, runAt, attempts, finishedHandlers, waits, reason, receivedAt } = entry;
  const claimed = {
    ...{
      seq,
      lease: lease ?? "",
      key,
      kind,
      orderKey,
      runAt,
      attempts,
      finishedHandlers,
      waits,
      reason,
      dueAt,
    },
  };
  if (delivery !== undefined) return { ...claimed, delivery: copyOf(delivery) };
  return { ...claimed, delivery: noDelivery(receivedAt), unreadable: "it has no delivery" };
}

/** A copy, so that a caller that changes a delivery does not change the stored one. */
export function copyOf(delivery: Delivery): Delivery {
  return { ...delivery, headers: structuredClone(delivery.headers), body: Uint8Array.from(delivery.body) };
}

/** Whether an entry is of one of these sources; any source if none are given. */
export function isOf({ key }: Entry, sources: readonly string[] | undefined): boolean {
  return sources === undefined || sources.includes(key.source);
}

export function isTaken({ kind }: Entry, exceptKinds: readonly string[]): boolean {
  return kind === null || !exceptKinds.includes(kind);
}

/** Whether an entry has not ended. */
export function isWaiting(entry: Entry): boolean {
  return entry.state === "pending" || entry.state === "running";
}

export function keyText(key: DedupKey): string {
  return JSON.stringify([key.timestamp, key.eventId, key.source]);
}
