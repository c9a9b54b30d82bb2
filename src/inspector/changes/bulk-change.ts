import { setImmediate as turn } from "node:timers/promises";
import { CHANGEABLE, type Change, changeEntries } from "../../inbox/change-entries.ts";
import type { Entry } from "../../inbox/entry.ts";
import type { EntryFilter } from "../../inbox/entry-filter.ts";
import { type EntryState, STATE_WORDS } from "../../inbox/entry-state.ts";
import type { Inbox } from "../../inbox/inbox.ts";
import { retryAtPace } from "../../inbox/paced-retry.ts";
import { DROPPED } from "../../inbox/target-wait.ts";
import { DEFAULT_SOURCE } from "../../receiver/options/settings.ts";
import type { InspectorContext } from "../context.ts";
import { findFilter, readNumber } from "../entries/filter.ts";
import { findEntries } from "../entries/find-entries.ts";
import type { BulkProgress, BulkResult, Tally } from "./bulk-api.ts";

/** How many entries are listed, and changed, at a time: deliveries wait meanwhile. */
const LISTED = 1000;
const CHANGED = 250;
const TALLY_TIME = 250; // milliseconds after which a tally is returned as far as it got
/** Handled entries have succeeded: nothing changes them. */
const OPEN: readonly EntryState[] = STATE_WORDS.filter((state) => state !== "handled");

interface Bulk {
  readonly change: Change;
  readonly filter: EntryFilter;
  /** Whether a retry also takes back entries that were dropped. */
  readonly takeBack: boolean;
  /** The newest entry to change, so that the run changes what was counted before. */
  readonly upTo: number | undefined;
  /** How many entries a retry runs per second. Default: all at once. */
  readonly rate?: number | undefined;
}

/**
 * Counts the entries that match a filter and are not handled, newest first, as far as a short time
 * allows.
 */
export async function tallyMany(
  { inbox }: InspectorContext,
  query: URLSearchParams,
): Promise<Tally> {
  const before = readNumber(query, "before");
  const { entries: filter } = await findFilter(inbox, query);
  const states = { waiting: 0, failing: 0, running: 0, dead: 0, received: 0 };
  let dropped = 0;
  let foreign = 0;
  let newest: number | null = null;
  let next: number | null = null;
  const end = performance.now() + TALLY_TIME;
  for await (const found of openPages(inbox, filter, before)) {
    newest ??= found.entries[0]?.seq ?? null;
    for (const entry of found.entries) {
      if (entry.key.source !== DEFAULT_SOURCE) foreign++;
      else if (isDropped(entry)) dropped++;
      else if (entry.state !== "handled") states[entry.state]++;
    }
    next = found.next;
    if (performance.now() >= end) break;
  }
  return { states, dropped, foreign, newest, next };
}

/**
 * Changes the entries that match a filter when it starts, oldest first, in steps, until `signal` is
 * aborted.
 */
export async function changeInSteps(
  inbox: Inbox,
  bulk: Bulk,
  onStep: (step: BulkProgress) => void,
  { clock, signal }: { readonly clock: () => number; readonly signal: AbortSignal },
): Promise<BulkResult> {
  const { change, filter } = bulk;
  const left = { running: 0, dropped: 0, foreign: 0, changedMeanwhile: 0 };
  const seqs: number[] = [];
  const before = bulk.upTo === undefined ? undefined : bulk.upTo + 1;
  for await (const { entries } of openPages(inbox, filter, before)) {
    for (const entry of entries) {
      const why = whyLeft(entry, bulk);
      if (why === undefined) seqs.push(entry.seq);
      else left[why]++;
    }
    onStep({ found: seqs.length });
    if (signal.aborted) break;
  }
  const sum = { due: 0, ended: 0, dropped: 0 };
  const states = (filter.states ?? OPEN).filter((state) => CHANGEABLE[change].includes(state));
  seqs.reverse();
  if (bulk.rate !== undefined && seqs.length > 0 && !signal.aborted) {
    const now = inbox.now ?? clock();
    const terms = { since: now, who: "the inspector", rate: bulk.rate };
    const { id: retry, changed } = await retryAtPace(inbox, seqs, terms);
    left.changedMeanwhile += seqs.length - changed;
    onStep({ changed: seqs.length, of: seqs.length, seqs });
    return { ...sum, ended: changed, retry, left };
  }
  for (let at = 0; at < seqs.length && !signal.aborted; at += CHANGED) {
    const step = seqs.slice(at, at + CHANGED);
    const changed = await changeEntries(inbox, change, { seqs: step, states }, clock());
    sum.due += changed.due;
    sum.ended += changed.ended;
    sum.dropped += changed.dropped;
    left.changedMeanwhile += step.length - changed.due - changed.ended - changed.dropped;
    onStep({ changed: Math.min(at + CHANGED, seqs.length), of: seqs.length, seqs: step });
    await turn();
  }
  return { ...sum, left };
}

function whyLeft(entry: Entry, { change, takeBack }: Bulk): keyof BulkResult["left"] | undefined {
  // shown, but this receiver does not run it
  if (entry.key.source !== DEFAULT_SOURCE) return "foreign";
  if (isDropped(entry) && (change === "drop" || !takeBack)) return "dropped";
  if (CHANGEABLE[change].includes(entry.state)) return undefined;
  return entry.state === "running" ? "running" : "changedMeanwhile";
}

/** The pages of entries that match a filter and are not handled, newest first. */
async function* openPages(inbox: Inbox, filter: EntryFilter, before: number | undefined) {
  const open = {
    ...filter,
    states: (filter.states ?? OPEN).filter((state) => OPEN.includes(state)),
  };
  for (let next: number | null | undefined = before; next !== null; ) {
    const found = await findEntries(inbox, open, { before: next, limit: LISTED });
    yield found;
    next = found.next;
    await turn();
  }
}

function isDropped({ state, reason }: Entry): boolean {
  return state === "dead" && reason === DROPPED;
}
