import { type DedupKey, OWN_IDENTITY, ownEventId } from "../event/identity.ts";
import type { ReadEnvelope } from "../event/read-envelope.ts";
import { invalid } from "../options/check-options.ts";
import type { Settings } from "./options/options.ts";
import { toEvent } from "./to-event.ts";

/**
 * The dedup key of an envelope: (source, event id, timestamp), or what the user's `identity` returns.
 *
 * @throws ConfigurationError `option_invalid` if `identity` returns anything but a string that is not empty
 */
export function dedupKey(read: ReadEnvelope, { source, identity }: Settings): DedupKey {
  const { eventId, timestamp } = read;
  if (identity === undefined) return { source, eventId, timestamp };
  const own: unknown = identity(toEvent(read, source));
  if (typeof own !== "string" || own === "") {
    throw invalid("identity to return a non-empty string", own, "return what makes two events the same");
  }
  return { source, eventId: ownEventId(own) ?? own, timestamp: OWN_IDENTITY };
}

/**
 * The order key of an envelope, as returned by the user's `orderBy`. If `orderBy` throws and `data` does not fit its
 * schema, the entry has no order key.
 *
 * @throws ConfigurationError `option_invalid` if `orderBy` returns anything but such a string or nothing
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
  throw invalid("orderBy to return a non-empty string, or undefined for no order", own, "return such a key");
}
