import { formatTimestamp } from "./timestamp.ts";

/**
 * The version of the rule that derives ids. A new rule gets a new number, so that ids of both can
 * share an inbox.
 */
export const RULE = "1";

/** Hexadecimal digits of a digest in an id: 160 bits of SHA-256. */
export const DIGEST_LENGTH = 40;

/** Longer ids, and ids that cannot be stored exactly, are replaced by a digest. */
export const MAX_OWN_ID = 255;

/** The text whose digest makes the id of an envelope without one. */
export function derivedIdText(contentDigest: string, timestamp: number): string {
  return `["${contentDigest}","${formatTimestamp(timestamp)}"]`;
}

export function digestId(digest: string): string {
  return `evt_${RULE}_${digest}`;
}

/**
 * An envelope's own id, if it is a non-empty string. One that a store or terminal could damage
 * (very long, control characters, half a surrogate pair) is replaced by the digest of a text, so
 * that two ids never become one.
 */
export function ownId(
  id: unknown,
): { readonly id: string } | { readonly digestOf: string } | undefined {
  if (typeof id !== "string" || id === "") return undefined;
  if (id.length <= MAX_OWN_ID && /^[^\p{Cc}\p{Cs}]+$/u.test(id)) return { id };
  return { digestOf: JSON.stringify(["id", id]) };
}
