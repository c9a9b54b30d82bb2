import { matchesKind } from "../event/kind-pattern.ts";
import type { Entry, EntryFilter } from "./inbox.ts";

/** Whether an entry is one of those a filter asks for; its `limit` is not looked at. */
export function matchesFilter(entry: Entry, filter: EntryFilter): boolean {
  const { states, kinds, since, until, seq, eventId } = filter;
  if (states !== undefined && !states.includes(entry.state)) return false;
  if (kinds !== undefined && !kinds.some((pattern) => matchesKind(pattern, entry.kind ?? ""))) return false;
  if (since !== undefined && entry.receivedAt < since) return false;
  if (until !== undefined && entry.receivedAt >= until) return false;
  if (seq !== undefined && entry.seq !== seq) return false;
  return eventId === undefined || entry.key.eventId.startsWith(eventId);
}
