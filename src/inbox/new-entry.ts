import type { DataProblem } from "../event/data-problems.ts";
import type { Delivery } from "../event/delivery.ts";
import { type DedupKey, rejectedKey } from "../event/identity.ts";
import type { ReadEnvelope } from "../event/read-envelope.ts";
import type { Rejection } from "../event/rejection.ts";
import type { NewEntry } from "./append.ts";
import type { Lease } from "./lease.ts";

/** Longer kinds are cut when stored; handlers get them whole. */
const MAX_STORED_KIND = 200;

/** What the inbox keeps of an envelope. */
type Read = Pick<ReadEnvelope, "envelope" | "timestamp">;

/** What an event is kept as. */
export interface EntryTerms {
  readonly key: DedupKey;
  readonly order: string | null;
  /** How `data` does not fit its kind's schema; empty if it fits. */
  readonly problems: readonly DataProblem[];
}

export interface FirstRun {
  /** Milliseconds from its arrival until it is due. Default 0. */
  readonly holdMs?: number | undefined;
  /** For an entry that may run at once. */
  readonly lease?: Lease | undefined;
}

/** The first state of an event's entry. */
export function newEntry(
  delivery: Delivery,
  { envelope, timestamp }: Read,
  { key, order, problems }: EntryTerms,
  { holdMs = 0, lease }: FirstRun = {},
): NewEntry {
  const fits = problems.length === 0;
  return {
    key,
    kind: storedKind(envelope.event),
    eventTimestamp: timestamp,
    state: fits ? "pending" : "dead",
    reason: fits ? null : "invalid_data",
    problems: fits ? undefined : problems,
    orderKey: order,
    delivery,
    runAt: delivery.receivedAt + holdMs,
    lease: fits && holdMs === 0 ? lease : undefined,
  };
}

/** The dead letter of a delivery that is no event, or of one whose time is wrong, under a key that no event has. */
export function rejectedEntry(
  delivery: Delivery,
  { reason }: Pick<Rejection, "reason">,
  source: string,
  read?: Read,
): NewEntry {
  return {
    key: rejectedKey(source, delivery.body),
    kind: read === undefined ? null : storedKind(read.envelope.event),
    eventTimestamp: read?.timestamp ?? null,
    state: "dead",
    reason,
    orderKey: null,
    delivery,
  };
}

export function storedKind(kind: string): string {
  return kind.slice(0, MAX_STORED_KIND);
}
