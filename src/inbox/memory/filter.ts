import { matchesKind } from "../../event/kind-pattern.ts";
import type { Entry } from "../entry.ts";
import type { EntryFilter } from "../entry-filter.ts";

/** Whether an entry matches a filter, whose `limit` is ignored. */
export function matchesFilter(entry: Entry, filter: EntryFilter, body?: Uint8Array): boolean {
  const { states, kinds, since, until, sources, seq, eventId, seqs, targets, after, before, text } = filter;
  if (sources !== undefined && !sources.includes(entry.key.source)) return false;
  if (states !== undefined && !states.includes(entry.state)) return false;
  if (kinds !== undefined && !kinds.some((pattern) => matchesKind(pattern, entry.kind ?? ""))) return false;
  if (since !== undefined && entry.receivedAt < since) return false;
  if (until !== undefined && entry.receivedAt >= until) return false;
  if (seq !== undefined && entry.seq !== seq) return false;
  if (seqs !== undefined && !seqs.includes(entry.seq)) return false;
  if (targets !== undefined && !entry.waits.some(({ target }) => targets.includes(target))) return false;
  if (after !== undefined && entry.seq <= after) return false;
  if (before !== undefined && entry.seq >= before) return false;
  if (text !== undefined && !hasText(entry, body, text)) return false;
  return eventId === undefined || entry.key.eventId.startsWith(eventId);
}

function hasText({ key }: Entry, body: Uint8Array | undefined, text: string): boolean {
  const wanted = lower(text);
  if (lower(key.eventId).includes(wanted)) return true;
  // One character per byte, so that bytes that are not UTF-8 can be compared.
  const bytes = Buffer.from(body ?? []).toString("latin1");
  return lower(bytes).includes(lower(Buffer.from(text).toString("latin1")));
}

function lower(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
