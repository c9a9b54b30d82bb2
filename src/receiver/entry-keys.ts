import { type DedupKey, OWN_IDENTITY, ownEventId } from "../event/identity.ts";
import type { ReadEnvelope } from "../event/read-envelope.ts";
import type { Settings } from "./options.ts";
import { toEvent } from "./to-event.ts";

/**
 * The dedup key of an envelope: (source, event id, timestamp), or what the user's `identity` returns.
 *
 * @throws TypeError if `identity` does not return a non-empty string
 */
export function dedupKey(read: ReadEnvelope, { source, identity }: Settings): DedupKey {
  const { eventId, timestamp } = read;
  if (identity === undefined) return { source, eventId, timestamp };
  const own: unknown = identity(toEvent(read, source));
  if (typeof own !== "string" || own === "") {
    throw new TypeError(
      `expected identity to return a non-empty string, got ${own === "" ? '""' : typeof own}`,
    );
  }
  return { source, eventId: ownEventId(own) ?? own, timestamp: OWN_IDENTITY };
}

/**
 * The order key of an envelope, as returned by the user's `orderBy`. If `orderBy` throws and `data` does not fit its
 * schema, the entry has no order key.
 *
 * @throws TypeError if `orderBy` returns anything but a non-empty string, null or undefined
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
  throw new TypeError(
    `expected orderBy to return a non-empty string, null or undefined, got ${own === "" ? '""' : typeof own}`,
  );
}
