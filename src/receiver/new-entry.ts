import type { Delivery } from "../event/delivery.ts";
import type { Envelope } from "../event/envelope.ts";
import { type DedupKey, OWN_IDENTITY, ownEventId } from "../event/identity.ts";
import type { ReadEnvelope } from "../event/read-envelope.ts";
import type { NewEntry } from "../inbox/inbox.ts";
import type { Settings } from "./options.ts";
import { toEvent } from "./to-event.ts";

/** Longer kinds are cut where they are stored; handlers get them whole. */
const MAX_STORED_KIND = 200;

/** What is decided about an event before it is kept. */
export interface EntryTerms {
  readonly key: DedupKey;
  readonly order: string | null;
  /** Whether `data` fits its kind's schema. */
  readonly fits: boolean;
  /** Milliseconds from its arrival until it runs in its turn. Default 0. */
  readonly holdMs?: number;
}

/** An event's entry as it is first kept. */
export function newEntry(delivery: Delivery, read: ReadEnvelope, terms: EntryTerms): NewEntry {
  const { key, order, fits, holdMs = 0 } = terms;
  return {
    key,
    kind: storedKind(read.envelope),
    eventTimestamp: read.timestamp,
    state: fits ? "pending" : "dead",
    reason: fits ? null : "invalid_data",
    orderKey: order,
    delivery,
    ...(holdMs > 0 && { runAt: delivery.receivedAt + holdMs }),
  };
}

/** The kind as the inbox holds it. */
export function storedKind({ event }: Envelope): string {
  return event.slice(0, MAX_STORED_KIND);
}

/**
 * The dedup key of an envelope: (source, event id, timestamp), or what the user's own `identity` says.
 *
 * @throws TypeError when `identity` gives something else than a text
 */
export function dedupKey(read: ReadEnvelope, { source, identity }: Settings): DedupKey {
  const { eventId, timestamp } = read;
  if (identity === undefined) return { source, eventId, timestamp };
  const own: unknown = identity(toEvent(read, source));
  if (typeof own !== "string" || own === "") {
    throw new TypeError(`expected identity to return a text that is not empty, got ${typeof own}`);
  }
  return { source, eventId: ownEventId(own) ?? own, timestamp: OWN_IDENTITY };
}

/**
 * The order key of an envelope, as the user's `orderBy` says. Where `data` does not fit its schema `orderBy` may fail:
 * such an entry has no order then.
 *
 * @throws TypeError when `orderBy` gives something else than a text or nothing
 */
export function orderKey(read: ReadEnvelope, { source, orderBy }: Settings, fits: boolean): string | null {
  if (orderBy === undefined) return null;
  let own: unknown;
  try {
    own = orderBy(toEvent(read, source));
  } catch (error) {
    if (fits) throw error;
    return null;
  }
  if (own === undefined || own === null) return null;
  if (typeof own === "string" && own !== "") return ownEventId(own) ?? own;
  throw new TypeError(`expected orderBy to return a text that is not empty, or nothing, got ${typeof own}`);
}
