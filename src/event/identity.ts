import { hash } from "node:crypto";
import { formatTimestamp } from "./timestamp.ts";

/** The version of the rule that derives ids. A new rule gets a new number, so that ids of both can share an inbox. */
const RULE = "1";

/** The key that identifies an entry; unique in an inbox. */
export interface DedupKey {
  /** The receiver's name for the sender, so that ids of two senders cannot collide. */
  readonly source: string;
  readonly eventId: string;
  /**
   * Milliseconds since 1970. First in the index, so that new keys land at its end. Normally the event's timestamp; one of
   * the two negative constants below if the timestamp must not count.
   */
  readonly timestamp: number;
}

/** The key timestamp of a rejected delivery. It has no event id; a digest of its bytes is used instead. */
export const REJECTED = -(10 ** 15);

/** The key timestamp if the user's `identity` alone decides. */
export const OWN_IDENTITY = -(10 ** 15) - 1;

/** A digest of an event's kind and `data` in canonical form, without its timestamp. */
export function contentDigest(canonicalEvent: string, canonicalData: string): string {
  return shortDigest(`[${canonicalEvent},${canonicalData}]`);
}

/**
 * The event id of an envelope without one: `evt_1_` and a digest of the content (kind and `data`) and the timestamp in
 * milliseconds. `webhook` is left out: it names the subscription, and an event delivered through two subscriptions is
 * one event. The service description shows no event id (section "Body envelope").
 */
export function deriveEventId(content: string, timestamp: number): string {
  return `evt_${RULE}_${shortDigest(`["${content}","${formatTimestamp(timestamp)}"]`)}`;
}

/** Longer ids, and ids that cannot be stored exactly, are replaced by a digest. */
const MAX_OWN_ID = 255;

/**
 * The event id in an envelope: its `id`, if that is a non-empty string. An id that a store or terminal could damage (very
 * long, control characters, half a surrogate pair) is replaced by its digest, so that two ids never become one.
 */
export function ownEventId(id: unknown): string | undefined {
  if (typeof id !== "string" || id === "") return undefined;
  if (id.length <= MAX_OWN_ID && /^[^\p{Cc}\p{Cs}]+$/u.test(id)) return id;
  return `evt_${RULE}_${shortDigest(JSON.stringify(["id", id]))}`;
}

/** The key of a delivery with a valid signature that is not an event: equal bytes make the same entry. */
export function rejectedKey(source: string, body: Uint8Array): DedupKey {
  return { source, eventId: `raw_${RULE}_${shortDigest(body)}`, timestamp: REJECTED };
}

/** 160 bits of SHA-256, as hex. */
function shortDigest(bytes: string | Uint8Array): string {
  return hash("sha256", bytes, "hex").slice(0, 40);
}
