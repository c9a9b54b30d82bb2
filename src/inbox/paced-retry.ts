import { durationText } from "../base/text/duration-text.ts";
import { CHANGEABLE } from "./change-entries.ts";
import type { EntryFilter } from "./entry-filter.ts";
import type { Inbox } from "./inbox.ts";
import { type NewPacedRetry, PACE_STEP, type Pauses, STOPPED } from "./pause.ts";

interface PacedTerms extends Pick<NewPacedRetry, "since" | "who"> {
  /** Entries per second. */
  readonly rate: number;
  readonly onStep?: (changed: number) => void;
}

/** The numbers of the entries that match a filter and can be retried, oldest first. */
export async function retryableSeqs(
  inbox: Inbox,
  filter: EntryFilter,
  limit = Number.POSITIVE_INFINITY,
) {
  const states = (filter.states ?? CHANGEABLE.retry).filter((state) =>
    CHANGEABLE.retry.includes(state),
  );
  const seqs: number[] = [];
  let before = filter.before;
  for (let found = PACE_STEP; found === PACE_STEP; before = seqs.at(-1)) {
    const below = before === undefined ? {} : { before };
    const entries = await inbox.list({ ...filter, states, ...below, limit: PACE_STEP });
    found = entries.length;
    seqs.push(...entries.map(({ seq }) => seq).reverse());
  }
  return seqs.reverse().slice(0, limit);
}

/** Milliseconds between two entries at this many entries per second. */
export function intervalOf(rate: number): number {
  return 1000 / rate;
}

/**
 * Gives entries their due times, in the order of their numbers, in transactions of 1000: from then
 * on any process runs them. Returns the retry's number.
 */
export async function retryAtPace(inbox: Inbox, seqs: readonly number[], terms: PacedTerms) {
  const { rate, onStep, ...by } = terms;
  const interval = intervalOf(rate);
  const retry = await inbox.newRetry({ ...by, interval, entries: seqs.length });
  let changed = 0;
  for (let at = 0; at < seqs.length; at += PACE_STEP) {
    const from = by.since + interval * at;
    changed += await retry.pace(seqs.slice(at, at + PACE_STEP), from);
    onStep?.(changed);
  }
  return { id: retry.id, changed };
}

/** What is paused and which retries are under way, a line for each. */
export function pauseLines({ paused, retries }: Pauses, now: number): readonly string[] {
  const nameOf = (id: number) => `retry ${id}`;
  const known = new Set(retries.map(({ id }) => nameOf(id)));
  const ofRetries = retries.map(({ id, left, entries, until }) => {
    const pause = paused.find(({ scope, name }) => scope === "retry" && name === String(id));
    const rest = `${left} of ${entries} left`;
    if (pause === undefined)
      return `${nameOf(id)} is under way: ${rest}, the last due in ${durationText(Math.max(0, until - now))}`;
    return `${nameOf(id)} is paused, ${byWhom(pause.who)}: ${rest}`;
  });
  const others = paused.filter(({ scope, name }) => !known.has(`${scope} ${name}`));
  return [
    ...others.map(({ scope, name, since, who }) => {
      const what = scope === "all" ? "everything" : `${scope} ${name}`;
      return `${what} has been paused for ${durationText(Math.max(0, now - since))} ${byWhom(who)}`;
    }),
    ...ofRetries,
  ];
}

function byWhom(who: string): string {
  return who.startsWith(STOPPED) ? who : `by ${who}`;
}
