import type { DataProblem } from "../event/data-problems.ts";
import type { Delivery } from "../event/delivery.ts";
import type { DedupKey } from "../event/identity.ts";
import type { EventFacts } from "../event/read-envelope.ts";
import type { NewEntry } from "./append.ts";
import type { Lease } from "./lease.ts";

/** Longer kinds are cut when stored; handlers get them whole. */
const MAX_STORED_KIND = 200;

/** What is known about an event before it is kept. */
export interface EntryTerms {
  readonly key: DedupKey;
  readonly order: string | null;
  /** How `data` does not fit its kind's schema; empty if it fits. */
  readonly problems: readonly DataProblem[];
  /** Milliseconds from its arrival until it is due. Default 0. */
  readonly holdMs?: number;
  /** For an entry that may run at once: one without an order key that is due on arrival. */
  readonly lease?: Lease | undefined;
}

/** The first state of an event's entry. */
export function newEntry(delivery: Delivery, read: EventFacts, terms: EntryTerms): NewEntry {
  const { key, order, problems, holdMs = 0, lease } = terms;
  const fits = problems.length === 0;
  return {
    key,
    kind: storedKind(read.kind),
    eventTimestamp: read.timestamp,
    state: fits ? "pending" : "dead",
    reason: fits ? null : "invalid_data",
    problems: fits ? undefined : problems,
    orderKey: order,
    delivery,
    runAt: delivery.receivedAt + holdMs,
    lease: fits && order === null && holdMs === 0 ? lease : undefined,
  };
}

/** The kind as the inbox stores it. */
export function storedKind(kind: string): string {
  return kind.slice(0, MAX_STORED_KIND);
}
