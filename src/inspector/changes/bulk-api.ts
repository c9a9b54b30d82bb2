/** The types of the API for changing many entries at once, shared by the server and the page. */
import type { Changed } from "../../inbox/change-entries.ts";
import type { StateCounts } from "../../inbox/counts.ts";
import type { EntryState } from "../../inbox/entry-state.ts";
import type { PauseOf } from "../../inbox/pause.ts";

export type { Change } from "../../inbox/change-entries.ts";

/** The states of entries that have not succeeded. */
export type OpenState = Exclude<EntryState, "handled">;

/** How many entries match a filter and have not succeeded. */
export interface Tally {
  /** Those of this receiver that were not dropped. */
  readonly states: Readonly<Record<OpenState, number>>;
  readonly dropped: number;
  /** Those of other sources, which this receiver does not run. */
  readonly foreign: number;
  /** The newest entry among them; `null` if there is none. */
  readonly newest: number | null;
  /** Pass it as `before` to count the rest; `null` if this is all. */
  readonly next: number | null;
}

/** A step of a bulk change: first the entries are found, then they are changed. */
export type BulkProgress =
  | { readonly found: number }
  | { readonly changed: number; readonly of: number; readonly seqs: readonly number[] };

/** What became of the entries that run again: how many are in each state. */
export type BulkFates = StateCounts;

export interface PausesShown {
  readonly lines: readonly string[];
  readonly scopes: readonly PauseOf[];
}

export interface BulkResult extends Changed {
  /** The number of the retry in which entries run at a measured pace. Default: they run at once. */
  readonly retry?: number;
  /** Matching entries that were left as they are. */
  readonly left: {
    readonly running: number;
    /** Those that were dropped before. */
    readonly dropped: number;
    readonly foreign: number;
    /** Those that something else changed during the run. */
    readonly changedMeanwhile: number;
  };
}
