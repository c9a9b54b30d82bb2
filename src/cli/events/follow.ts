import { setTimeout as wait } from "node:timers/promises";
import type { Entry } from "../../inbox/entry.ts";
import type { EntryFilter } from "../../inbox/entry-filter.ts";
import type { EntryState } from "../../inbox/entry-state.ts";
import type { Inbox } from "../../inbox/inbox.ts";
import type { CliContext } from "../context.ts";
import { printEntry } from "./entry-view.ts";

/** Milliseconds between two looks at an inbox. */
const LOOK = 100;

/** Entries that are read at a time. */
const WINDOW = 500;

/**
 * Milliseconds for which an entry after a gap in the numbers is held back: with several writers,
 * one with a lower number may become visible after it.
 */
const SETTLES = 1000;

/**
 * Waits until an entry is in one of the states; returns it as it last was if the wait ends before.
 */
export async function whenIn(
  inbox: Inbox,
  entry: Entry,
  states: readonly EntryState[],
  signal: AbortSignal,
) {
  let last = entry;
  while (!states.includes(last.state)) {
    if (!(await pause(signal))) return { entry: last, reached: false };
    [last = entry] = await inbox.list({ seq: entry.seq });
  }
  return { entry: last, reached: true };
}

/**
 * The entries that match and have a number above `after`, in order of their numbers, as they are
 * kept, until the wait ends.
 */
export async function* entriesAfter(
  inbox: Inbox,
  filter: EntryFilter,
  terms: { readonly after: number; readonly clock: () => number; readonly signal: AbortSignal },
): AsyncGenerator<Entry> {
  const { after, clock, signal } = terms;
  let cursor = after;
  while (!signal.aborted) {
    const [newest] = await inbox.list({ limit: 1 });
    const window = newest !== undefined && cursor < newest.seq;
    const end = window ? Math.min(newest.seq, cursor + WINDOW) : cursor;
    const all = window ? await inbox.list({ after: cursor, before: end + 1 }) : [];
    const settled = countSettled(all, cursor, clock());
    const seqs = all.slice(0, settled).map(({ seq }) => seq);
    if (seqs.length > 0) yield* await inbox.list({ ...filter, seqs });
    cursor = settled < all.length ? (seqs.at(-1) ?? cursor) : end;
    if (!(window && cursor === end) && !(await pause(signal))) return;
  }
}

/**
 * Prints the entries with numbers above `after`, as `events list` does, as they are kept, until a
 * signal ends it.
 */
export async function followEvents(
  inbox: Inbox,
  filter: EntryFilter,
  after: number,
  { io, output, clock }: CliContext,
): Promise<void> {
  const stopping = new AbortController();
  const done = io.onSignal(() => stopping.abort());
  try {
    const from = { after, clock, signal: stopping.signal };
    for await (const entry of entriesAfter(inbox, filter, from)) printEntry(entry, clock(), output);
  } finally {
    done();
  }
}

/** The number of the newest entry; 0 if there is none. */
export async function newestSeq(inbox: Inbox): Promise<number> {
  const [newest] = await inbox.list({ limit: 1 });
  return newest?.seq ?? 0;
}

/** How many of the entries no other can come before any more. */
function countSettled(entries: readonly Entry[], cursor: number, now: number): number {
  const held = entries.findIndex(({ seq, receivedAt }, index) => {
    const isNext = seq === (entries[index - 1]?.seq ?? cursor) + 1;
    return !isNext && Math.abs(now - receivedAt) < SETTLES; // clocks may differ, or be set back
  });
  return held === -1 ? entries.length : held;
}

/** Waits for the next look; returns `false` if waiting has ended. */
async function pause(signal: AbortSignal): Promise<boolean> {
  if (!signal.aborted) await wait(LOOK, undefined, { signal }).catch(() => {});
  return !signal.aborted;
}
