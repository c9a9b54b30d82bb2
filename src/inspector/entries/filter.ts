import type { EntryFilter, TextAlternatives } from "../../inbox/entry-filter.ts";
import { type EntryState, STATE_WORDS } from "../../inbox/entry-state.ts";
import { seqsLike } from "../../inbox/failures.ts";
import type { Inbox } from "../../inbox/inbox.ts";
import { REASON_WORDS } from "../../inbox/reasons.ts";
import { invalidRequest, type RequestError } from "../answer.ts";
import type { Refusal } from "../live/refusals.ts";
import { parsePath, RESOURCE_PATH, type ValuePath } from "./value-path.ts";

/** The list's filter; all given conditions must hold. */
export interface RowFilter {
  readonly entries: Omit<
    EntryFilter,
    "sources" | "eventId" | "targets" | "after" | "before" | "limit"
  >;
  readonly resource: ValuePath;
  /**
   * Whether to show refused deliveries: if `state` names them, or neither state nor kind is given.
   */
  readonly refusals: boolean;
  /** The same conditions for a refused delivery. */
  readonly matchesRefusal: (refusal: Refusal) => boolean;
  /** The same without `state`. */
  readonly matchesRefusalInAnyState: (refusal: Refusal) => boolean;
}

const MIN_WORD = 3; // a shorter text names no state and no reason

/**
 * Reads a filter from a query; `state` and `kind` may be comma-separated lists. @throws
 * RequestError 400
 */
export function readFilter(query: URLSearchParams): RowFilter {
  const states = readList(query, "state");
  const wrong = states?.find((state) => state !== "refused" && !isState(state));
  if (wrong !== undefined) {
    throw badQuery(
      "state",
      `one of ${STATE_WORDS.join(", ")}, refused, got ${JSON.stringify(wrong.slice(0, 40))}`,
    );
  }
  const kinds = readList(query, "kind");
  const since = readNumber(query, "since");
  const until = readNumber(query, "until");
  const resource = readResource(query);
  const text = query.get("text") || undefined;
  const entries = {
    ...(states !== undefined && { states: states.filter(isState) }),
    ...(kinds !== undefined && { kinds }),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
    ...(text !== undefined && entriesWith(text)),
  };
  const takesInAnyState = (refusal: Refusal) =>
    kinds === undefined &&
    (since === undefined || refusal.receivedAt >= since) &&
    (until === undefined || refusal.receivedAt < until) &&
    (text === undefined || textOf(refusal).includes(text.toLowerCase()));
  const refusals = (states === undefined || states.includes("refused")) && kinds === undefined;
  return {
    entries,
    resource,
    refusals,
    matchesRefusalInAnyState: takesInAnyState,
    matchesRefusal: (refusal) => refusals && takesInAnyState(refusal),
  };
}

/**
 * As {@link readFilter}, and `like`: the number of an entry, for all that failed as it did. @throws
 * RequestError 400
 */
export async function findFilter(inbox: Inbox, query: URLSearchParams): Promise<RowFilter> {
  const filter = readFilter(query);
  const like = readNumber(query, "like");
  if (like === undefined) return filter;
  const [entry] = await inbox.list({ seqs: [like] });
  const seqs = entry === undefined ? [] : ((await seqsLike(inbox, entry)) ?? []);
  const takes = () => false; // a refused delivery is no entry
  return {
    ...filter,
    entries: { ...filter.entries, seqs },
    refusals: false,
    matchesRefusal: takes,
    matchesRefusalInAnyState: takes,
  };
}

/** Reads a whole number from a query. @throws RequestError 400 */
export function readNumber(query: URLSearchParams, name: string, most = Number.MAX_SAFE_INTEGER) {
  const text = query.get(name);
  if (text === null || text === "") return undefined;
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (value <= most) return value;
  throw badQuery(name, `a whole number up to ${most}`);
}

function readResource(query: URLSearchParams): ValuePath {
  const text = query.get("resource") || undefined;
  if (text === undefined) return RESOURCE_PATH;
  const path = parsePath(text);
  if (path !== undefined) return path;
  throw badQuery("resource", "a path such as data.id or data.items[0].id");
}

function isState(text: string): text is EntryState {
  return STATE_WORDS.some((state) => state === text);
}

function readList(query: URLSearchParams, name: string): readonly string[] | undefined {
  const parts = query.getAll(name).flatMap((text) => text.split(","));
  const given = parts.map((part) => part.trim()).filter((part) => part !== "");
  return given.length === 0 ? undefined : given.slice(0, 50);
}

/** A number sign finds one entry, and looks into no body. */
function entriesWith(text: string): Pick<EntryFilter, "text" | "alternatives" | "seq"> {
  const [, number] = /^\s*#(\d{1,15})\s*$/.exec(text) ?? [];
  return number === undefined ? { text, alternatives: namedBy(text) } : { seq: Number(number) };
}

/**
 * What a typed text names besides what is stored: a state or a reason in words, or an entry's
 * number.
 */
function namedBy(text: string): TextAlternatives {
  const wanted = text.trim().toLowerCase();
  const seqs = /^\d{1,15}$/.test(wanted) ? [Number(wanted)] : [];
  if (wanted.length < MIN_WORD) return { seqs };
  const states = STATE_WORDS.filter((state) => state.startsWith(wanted));
  const reasons = Object.entries(REASON_WORDS).flatMap(([reason, words]) =>
    words.toLowerCase().includes(wanted) ? [reason] : [],
  );
  return { states, reasons, seqs };
}

/** All that is shown of a refused delivery, except the checks that it passed. */
function textOf({
  method,
  target,
  reason,
  word,
  headers,
  status,
  why,
  explanation,
}: Refusal): string {
  const failed = explanation.steps.filter(({ result }) => result === "failed");
  const texts = [
    `${method} ${target}`,
    reason,
    word,
    status,
    why,
    explanation.summary,
    failed,
    headers,
  ];
  return JSON.stringify(texts).toLowerCase();
}

function badQuery(name: string, expected: string): RequestError {
  return invalidRequest(`expected ${name} to be ${expected}`);
}
