import { hash } from "node:crypto";
import { formatTimestamp } from "./timestamp.ts";

/** The rule an id was derived by. A new rule gets a new number, so ids of both can live in one inbox. */
const RULE = "1";

/** What makes two entries the same entry: unique in an inbox. */
export interface DedupKey {
  /** The receiver's name for who sends here, so that two senders' ids never meet. */
  readonly source: string;
  readonly eventId: string;
  /**
   * Milliseconds since 1970; leads the index, which ages well. Normally the event's timestamp; one of the two negative
   * marks below where the timestamp must not count.
   */
  readonly timestamp: number;
}

/** Key timestamp of a rejected delivery: it has no event id, so the digest of its bytes stands in. */
export const REJECTED = -(10 ** 15);

/** Key timestamp where the user's own `identity` decides alone. */
export const OWN_IDENTITY = -(10 ** 15) - 1;

/** What an event says, whenever it says it: a digest over its kind and `data`, each in canonical form. */
export function contentDigest(canonicalEvent: string, canonicalData: string): string {
  return shortDigest(`[${canonicalEvent},${canonicalData}]`);
}

/**
 * The event id of an envelope that carries none: `evt_1_` and a digest over the content (kind and `data`) and the
 * timestamp to the millisecond. `webhook` is left out: it names the subscription, and two subscriptions to one receiver
 * are one event. The service description shows no event id (section "Body envelope").
 */
export function deriveEventId(content: string, timestamp: number): string {
  return `evt_${RULE}_${shortDigest(`["${content}","${formatTimestamp(timestamp)}"]`)}`;
}

/** Longer ids than this, and ids that cannot be stored letter for letter, are kept as their digest. */
const MAX_OWN_ID = 255;

/**
 * The event id an envelope brings itself: its `id`, when that is a non-empty string. One that no store or terminal takes
 * unharmed (very long, control characters, half a surrogate pair) is replaced by its digest, so two never become one.
 */
export function ownEventId(id: unknown): string | undefined {
  if (typeof id !== "string" || id === "") return undefined;
  if (id.length <= MAX_OWN_ID && /^[^\p{Cc}\p{Cs}]+$/u.test(id)) return id;
  return `evt_${RULE}_${shortDigest(JSON.stringify(["id", id]))}`;
}

/** The key of a delivery that carried a good signature but is not an event: the same bytes give the same entry. */
export function rejectedKey(source: string, body: Uint8Array): DedupKey {
  return { source, eventId: `raw_${RULE}_${shortDigest(body)}`, timestamp: REJECTED };
}

/** 160 bits of SHA-256, as hex. */
function shortDigest(bytes: string | Uint8Array): string {
  return hash("sha256", bytes, "hex").slice(0, 40);
}
