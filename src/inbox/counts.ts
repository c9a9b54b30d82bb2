import { ENTRY_STATES, type EntryState } from "./entry.ts";
import type { EntryFilter } from "./entry-filter.ts";

/** Which entries to count: those that match every field. */
export type CountFilter = Pick<EntryFilter, "kinds" | "since" | "until" | "sources">;

/** The number of entries in each state. */
export interface Counts extends Readonly<Record<EntryState, number>> {
  /**
   * Whether `done` is an estimate, since counting them would take seconds. The other numbers are always exact.
   * Default `false`.
   */
  readonly doneIsEstimate?: boolean;
}

/** The states that have entries, in words: `2 dead, about 250000 done`. */
export function countsText(
  counts: Counts,
  numberText: (number: number) => string = String,
  stateText: (state: EntryState) => string = String,
): string {
  const present = ENTRY_STATES.filter((state) => counts[state] > 0);
  return present
    .map((state) => {
      const about = state === "done" && counts.doneIsEstimate === true ? "about " : "";
      return `${about}${numberText(counts[state])} ${stateText(state)}`;
    })
    .join(", ");
}
