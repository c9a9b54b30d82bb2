import { hash } from "../base/package/builtins.ts";
import { DIGEST_LENGTH, derivedIdText, digestId, ownId, RULE } from "./identity-text.ts";

/** The key that identifies an entry; unique in an inbox. */
export interface DedupKey {
  /** The receiver's name for the sender, so that ids of two senders cannot collide. */
  readonly source: string;
  readonly eventId: string;
  /**
   * Milliseconds since 1970. First in the index, so that new keys land at its end. Normally the
   * event's timestamp; one of the two negative constants below if the timestamp must not count.
   */
  readonly timestamp: number;
}

/** A key as one text: equal for equal keys only. */
export function keyText({ source, eventId, timestamp }: DedupKey): string {
  return JSON.stringify([source, eventId, timestamp]);
}

/**
 * The key timestamp of a rejected delivery. It has no event id; a digest of its bytes is used
 * instead.
 */
export const REJECTED = -(10 ** 15);

/** The key timestamp if the user's `identity` alone decides. */
export const OWN_IDENTITY = -(10 ** 15) - 1;

/**
 * The event id of an envelope without one: `evt_1_` and a digest of the content (kind and `data`)
 * and the timestamp in milliseconds. `webhook` is left out: it names the subscription, and an event
 * delivered through two subscriptions is one event. The service description shows no event id
 * (section "Body envelope").
 */
export function deriveEventId(content: string, timestamp: number): string {
  return digestId(shortDigest(derivedIdText(content, timestamp)));
}

/** The event id in an envelope, if it has one; see {@link ownId}. */
export function ownEventId(id: unknown): string | undefined {
  const own = ownId(id);
  if (own === undefined) return undefined;
  return "id" in own ? own.id : digestId(shortDigest(own.digestOf));
}

/**
 * The key of a delivery with a valid signature that is not an event: equal bytes make the same
 * entry.
 */
export function rejectedKey(source: string, body: Uint8Array): DedupKey {
  return { source, eventId: `raw_${RULE}_${shortDigest(body)}`, timestamp: REJECTED };
}

export function shortDigest(bytes: string | Uint8Array): string {
  return hash("sha256", bytes, "hex").slice(0, DIGEST_LENGTH);
}
