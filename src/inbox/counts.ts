import type { Entry } from "./entry.ts";
import type { EntryFilter } from "./entry-filter.ts";
import { type EntryState, STATE_WORDS } from "./entry-state.ts";

/** Which entries to count: those that match every field. */
export type CountFilter = Pick<EntryFilter, "kinds" | "since" | "until" | "sources">;

/** The number of entries in each state. */
export interface StateCounts extends Readonly<Record<EntryState, number>> {
  /**
   * Whether `handled` is an estimate, since counting them would take seconds. The other numbers are
   * always exact. Default `false`.
   */
  readonly handledIsEstimate?: boolean;
}

/** As an inbox counts them. */
export interface Counts extends StateCounts {
  /** How many of the dead ones a person has dropped. Default 0. */
  readonly dropped?: number;
}

export function noCounts(): { -readonly [Name in keyof Counts]: Counts[Name] } {
  return { waiting: 0, failing: 0, running: 0, handled: 0, dead: 0, received: 0 };
}

export function countStates(entries: readonly Pick<Entry, "state">[]): StateCounts {
  const counts = noCounts();
  for (const { state } of entries) counts[state]++;
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

/** The numbers that people and programs see. */
export function stateCounts({ dropped: _, ...counts }: Counts): StateCounts {
  return counts;
}

export function totalOf(counts: StateCounts): number {
  return STATE_WORDS.reduce((sum, state) => sum + counts[state], 0);
}

/** The states that have entries, in words: `2 dead, about 250000 handled`. */
export function countsText(
  counts: Partial<StateCounts>,
  numberText: (number: number) => string = String,
) {
  return STATE_WORDS.flatMap((state) => {
    const count = counts[state] ?? 0;
    const about = state === "handled" && counts.handledIsEstimate === true ? "about " : "";
    return count > 0 ? `${about}${numberText(count)} ${state}` : [];
  }).join(", ");
}
