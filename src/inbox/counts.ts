import type { EntryFilter } from "./entry-filter.ts";
import {
  type EntryState,
  entryState,
  STATE_WORDS,
  type StateFacts,
  type StoredState,
} from "./entry-state.ts";

/** Which entries to count: those that match every field. */
export type CountFilter = Pick<EntryFilter, "kinds" | "since" | "until" | "sources">;

/** The number of entries in each state, as stores call it. */
export interface Counts extends Readonly<Record<StoredState, number>> {
  /** How many of the pending ones failed at their last attempt. */
  readonly failing: number;
  /** How many of the dead ones a person has dropped. Default 0. */
  readonly dropped?: number;
  /**
   * Whether `done` is an estimate, since counting them would take seconds. The other numbers are always exact.
   * Default `false`.
   */
  readonly doneIsEstimate?: boolean;
}

/** The number of entries in each state, as people and programs see it. */
export interface StateCounts extends Readonly<Record<EntryState, number>> {
  readonly handledIsEstimate?: boolean;
}

export function noCounts(): { -readonly [State in StoredState | "failing"]: number } & { dropped?: number } {
  return { pending: 0, failing: 0, running: 0, done: 0, dead: 0, unhandled: 0 };
}

export function countStates(entries: readonly StateFacts[]): StateCounts {
  const counts = { waiting: 0, failing: 0, running: 0, handled: 0, dead: 0, received: 0 };
  for (const entry of entries) counts[entryState(entry)]++;
  return counts;
}

/** Dead letters that someone should look at: those that nobody has dropped. */
export function deadToDo({ dead, dropped = 0 }: Pick<Counts, "dead" | "dropped">): number {
  return dead - dropped;
}

/** What someone should look at. */
export function failedCounts(counts: Counts): Pick<StateCounts, "failing" | "dead"> {
  return { failing: counts.failing, dead: deadToDo(counts) };
}

/** The numbers under the words that people and programs see. */
export function countsByState(counts: Counts): StateCounts {
  const { pending, failing, running, done: handled, dead, unhandled: received, doneIsEstimate } = counts;
  return {
    ...{ waiting: pending - failing, failing, running, handled, dead, received },
    ...(doneIsEstimate === true && { handledIsEstimate: true }),
  };
}

export function totalOf(counts: StateCounts): number {
  return STATE_WORDS.reduce((sum, state) => sum + counts[state], 0);
}

/** The states that have entries, in words: `2 dead, about 250000 handled`. */
export function countsText(counts: Partial<StateCounts>, numberText: (number: number) => string = String) {
  return STATE_WORDS.flatMap((state) => {
    const count = counts[state] ?? 0;
    const about = state === "handled" && counts.handledIsEstimate === true ? "about " : "";
    return count > 0 ? `${about}${numberText(count)} ${state}` : [];
  }).join(", ");
}
