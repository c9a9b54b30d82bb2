import { problemLine } from "../event/data-problems.ts";
import type { Delivery } from "../event/delivery.ts";
import { readEnvelope } from "../event/read-envelope.ts";
import type { Entry } from "./entry.ts";
import type { EntryFilter } from "./entry-filter.ts";
import type { EntryState } from "./entry-state.ts";
import type { Inbox } from "./inbox.ts";
import { lastRunsOf, type RunOutline } from "./outline.ts";
import { reasonWords } from "./reasons.ts";
import { DROPPED } from "./target-wait.ts";

const FAILED: readonly EntryState[] = ["failing", "dead"];
/** Failing entries and dead letters that are looked at, the newest. */
export const LOOKED_AT = 4000;
/** Characters of an error that tell it from others. */
const COMPARED = 500;

export interface Failure {
  /** The same for all that failed alike. */
  readonly key: string;
  /** The error's message, or why its handlers did not run. */
  readonly words: string;
  /** The first line of the user's own code: `file:line:column`; `null` if there is none. */
  readonly at: string | null;
}

/** Entries that failed alike: their errors differ at most in numbers, ids and quoted text. */
export interface FailureGroup extends Omit<Failure, "key"> {
  /** Oldest first. */
  readonly seqs: readonly number[];
  readonly failing: number;
  readonly dead: number;
  readonly kinds: readonly string[];
  /** When the first of them was received. */
  readonly since: number;
}

type OpenGroup = { -readonly [Name in keyof FailureGroup]: FailureGroup[Name] } & {
  seqs: number[];
};

export interface FailureGroups {
  /** Those with most entries first. */
  readonly groups: readonly FailureGroup[];
  /** Whether there are entries that were not looked at, since there are too many. */
  readonly isPart: boolean;
}

/** What an entry failed with in its last attempt; `undefined` if nothing failed. */
export function failureOf(
  { reason, problems }: Pick<Entry, "reason" | "problems">,
  runs: readonly Pick<RunOutline, "error" | "at">[],
): Failure | undefined {
  const failed = runs.filter(({ error }) => error !== null);
  const [first] = failed;
  if (first !== undefined) {
    const key = failed
      .map(({ error, at }) => `${withoutParticulars(error ?? "")}\n${at ?? ""}`)
      .join("\n");
    return { key, words: first.error ?? "", at: first.at ?? null };
  }
  if (reason === null) return undefined;
  const unfit = problems.map(problemLine).join("; ");
  const words = unfit === "" ? reasonWords(reason) : unfit;
  return { key: `${reason}\n${withoutParticulars(unfit)}`, words, at: null };
}

/**
 * An error without what differs from event to event: numbers, ids and quoted text. Statuses and
 * ports stay: those of another answer or another server are another error.
 */
export function withoutParticulars(error: string): string {
  return error
    .slice(0, COMPARED)
    .replace(/"[^"\n]*"|'[^'\n]*'|`[^`\n]*`/gu, "…")
    .replace(
      // At most 500 characters: the slice above.
      /(?<=\b(?:answered|status|code) )(\d{3})\b|(?<=[\]\w]):(\d{2,5})\b|[\w-]*\d[\w-]*/gu,
      (whole, status, port) => (status !== undefined || port !== undefined ? whole : "#"),
    );
}

/**
 * Groups the newest failed entries that match a filter, and `also`, by what they failed with;
 * without dropped ones.
 */
export async function failureGroups(
  inbox: Inbox,
  also: readonly Entry[] = [],
  filter: EntryFilter = {},
) {
  const { byKey, isPart } = await groupsByKey(inbox, also, filter);
  const groups = [...byKey.values()].sort((a, b) => b.seqs.length - a.seqs.length);
  return { groups, isPart };
}

async function groupsByKey(inbox: Inbox, also: readonly Entry[], filter: EntryFilter) {
  // In one read: each reads past all that is handled, of which there may be millions.
  const wanted = { states: FAILED, dropped: false, limit: LOOKED_AT, ...filter };
  const newest = await inbox.list(wanted);
  const all = [...also, ...newest].filter(
    ({ reason, state }) => reason !== DROPPED && FAILED.includes(state),
  );
  const entries = [...new Map(all.map((entry) => [entry.seq, entry])).values()];
  const byKey = new Map<string, OpenGroup>();
  const outlines = new Map(
    (await inbox.outlines({ entries, bodyBytes: 0 })).map((outline) => [outline.seq, outline]),
  );
  for (const entry of entries.sort((a, b) => a.seq - b.seq)) {
    const { seq, kind, receivedAt } = entry;
    const failure = failureOf(entry, outlines.get(seq)?.lastRuns ?? []);
    if (failure === undefined) continue;
    let group = byKey.get(failure.key);
    if (group === undefined) {
      const { words, at } = failure;
      group = { words, at, seqs: [], failing: 0, dead: 0, kinds: [], since: receivedAt };
      byKey.set(failure.key, group);
    }
    group.seqs.push(seq);
    if (entry.state === "dead") group.dead++;
    else group.failing++;
    if (kind !== null && !group.kinds.includes(kind)) group.kinds = [...group.kinds, kind];
  }
  return { byKey, isPart: newest.length === wanted.limit };
}

/** The group that an entry is in; `undefined` if it neither fails nor is a dead letter. */
export async function failuresLike(inbox: Inbox, seq: number): Promise<FailureGroup | undefined> {
  const entries = await inbox.list({ seqs: [seq] });
  return (await failureGroups(inbox, entries)).groups.find(({ seqs }) => seqs.includes(seq));
}

/**
 * The failed entries like one: those of its group or, while it runs again and once it is handled,
 * those that fail as it last did; `undefined` if it never failed, or was dropped.
 */
export async function seqsLike(inbox: Inbox, entry: Entry): Promise<readonly number[] | undefined> {
  const own = await failuresLike(inbox, entry.seq);
  if (own !== undefined || entry.reason === DROPPED) return own?.seqs;
  const failed = (await inbox.attempts(entry.seq)).filter(({ error }) => error !== null);
  const runs = lastRunsOf(failed).map((run) => ({ ...run, at: run.failure?.at ?? null }));
  const failure = failureOf(entry, runs);
  if (failure === undefined) return undefined;
  return (await groupsByKey(inbox, [], {})).byKey.get(failure.key)?.seqs ?? [];
}

/**
 * What is wrong with an entry's data: what made it a dead letter, or the numbers in its delivery
 * that a double does not hold.
 */
export function problemsOf({ problems }: Pick<Entry, "problems">, delivery: Delivery | undefined) {
  if (problems.length > 0 || delivery === undefined) return problems;
  const read = readEnvelope(delivery.body);
  return read.ok ? read.inexact : [];
}
