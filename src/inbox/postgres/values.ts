import { hash } from "../../base/package/builtins.ts";
import type { Delivery } from "../../event/delivery.ts";
import { type DedupKey, REJECTED } from "../../event/identity.ts";
import type { AttemptRecord } from "../attempt-record.ts";
import { decodeText, encodeNullable, encodeText, type Row, readHeaders } from "../rows.ts";
import type { TargetWait } from "../target-wait.ts";

/**
 * The date up to which an event must be pruned before it can be taken for new again. A rejected
 * delivery never ran, so its arrival counts, whatever its timestamp.
 */
export function datedAt(
  { timestamp }: DedupKey,
  eventTimestamp: number | null,
  receivedAt: number,
): number {
  return timestamp === REJECTED ? receivedAt : (eventTimestamp ?? receivedAt);
}

/**
 * A digest of a source and an order key, exact as a number; two that share one merely wait for each
 * other.
 */
export function orderHash({ source }: DedupKey, orderKey: string | null): number | null {
  if (orderKey === null) return null;
  return Number.parseInt(
    hash("sha256", JSON.stringify([source, orderKey]), "hex").slice(0, 13),
    16,
  );
}

/** The columns of a run. What is not given is NULL, and `undefined` takes no room in JSON. */
export function attemptColumns(record: AttemptRecord) {
  return {
    attempt: record.attempt,
    handler: encodeText(record.handler),
    started_at: record.startedAt,
    duration_ms: record.duration,
    outcome: record.outcome,
    error: encodeNullable(record.error) ?? undefined,
    note: encodeNullable(record.note) ?? undefined,
    failure: record.failure === null ? undefined : JSON.stringify(record.failure),
  };
}

export function deliveryColumns({ method, target, headers }: Delivery) {
  return {
    method: encodeText(method),
    target: encodeText(target),
    headers: JSON.stringify(headers),
  };
}

export function toDelivery(row: Row): Delivery {
  return {
    method: decodeText(row.method as string),
    target: decodeText(row.target as string),
    headers: readHeaders(row.headers),
    body: row.body as Uint8Array,
    receivedAt: Number(row.received_at),
  };
}

export function waitingFor(waits: readonly TargetWait[]): readonly string[] | null {
  const targets = waits.filter(({ over }) => over === null).map(({ target }) => encodeText(target));
  return targets.length === 0 ? null : targets;
}
