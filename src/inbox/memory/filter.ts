import { problemLine } from "../../event/data-problems.ts";
import type { Delivery } from "../../event/delivery.ts";
import { matchesKind } from "../../event/kind-pattern.ts";
import type { AttemptRecord } from "../attempt-record.ts";
import type { Entry } from "../entry.ts";
import { type EntryFilter, MIN_HEADER_TEXT, type TextAlternatives } from "../entry-filter.ts";
import { entryState, type StoredIn } from "../entry-state.ts";

/** Whether an entry matches a filter, whose `limit` is ignored. */
export function matchesFilter(entry: Entry, filter: EntryFilter, stored?: StoredTexts): boolean {
  const { states, kinds, since, until, sources, seq, eventId, seqs, targets, after, before, text } = filter;
  if (sources !== undefined && !sources.includes(entry.key.source)) return false;
  if (states !== undefined && !isIn(entry, { ...filter, states })) return false;
  if (kinds !== undefined && !kinds.some((pattern) => matchesKind(pattern, entry.kind ?? ""))) return false;
  if (since !== undefined && entry.receivedAt < since) return false;
  if (until !== undefined && entry.receivedAt >= until) return false;
  if (seq !== undefined && entry.seq !== seq) return false;
  if (seqs !== undefined && !seqs.includes(entry.seq)) return false;
  if (targets !== undefined && !entry.waits.some(({ target }) => targets.includes(target))) return false;
  if (after !== undefined && entry.seq <= after) return false;
  if (before !== undefined && entry.seq >= before) return false;
  if (text !== undefined && !isElse(entry, filter.orElse) && !hasText(entry, stored, text)) return false;
  return eventId === undefined || entry.key.eventId.startsWith(eventId);
}

/** What an entry has besides itself. */
export interface StoredTexts {
  readonly delivery: Delivery | undefined;
  readonly records: readonly AttemptRecord[];
}

function hasText(entry: Entry, stored: StoredTexts | undefined, text: string): boolean {
  const wanted = lower(text);
  const { kind, key, reason, orderKey, problems } = entry;
  const ofEntry = [key.eventId, kind, reason, orderKey, ...problems.map(problemLine)];
  const ofAttempts = stored?.records.flatMap(({ error, note }) => [error, note]) ?? [];
  if ([...ofEntry, ...ofAttempts].some((one) => one !== null && lower(one).includes(wanted))) return true;
  const { headers = {}, body = [] } = stored?.delivery ?? {};
  if (text.length >= MIN_HEADER_TEXT && lower(JSON.stringify(headers)).includes(wanted)) return true;
  // One character per byte, so that bytes that are not UTF-8 can be compared.
  const bytes = Buffer.from(body).toString("latin1");
  return lower(bytes).includes(lower(Buffer.from(text).toString("latin1")));
}

function isElse(entry: Entry, other: TextAlternatives = {}): boolean {
  const { states = [], reasons = [], seqs = [] } = other;
  const { reason, seq } = entry;
  if (seqs.includes(seq) || (reason !== null && reasons.includes(reason))) return true;
  return isIn(entry, { ...other, states });
}

function isIn(entry: Entry, { states, failing }: StoredIn): boolean {
  if (!states.includes(entry.state)) return false;
  return entry.state !== "pending" || failing === undefined || failing === (entryState(entry) === "failing");
}

function lower(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
