import type { DataProblem } from "../event/data-problems.ts";
import type { AttemptRecord } from "./attempt-record.ts";
import type { EntryState } from "./entry-state.ts";
import type { TargetWait } from "./target-wait.ts";

/** The states in which an attempt can leave an entry. */
export type SettledState = Exclude<EntryState, "running">;

/** The result of a leased entry. */
export interface Settlement {
  readonly seq: number;
  readonly lease: string;
  readonly state: SettledState;
  readonly reason: string | null;
  /** For the reason `invalid_data`: what does not fit. */
  readonly problems?: readonly DataProblem[] | undefined;
  /** When it may run again, if it has not ended. */
  readonly runAt: number;
  readonly finishedHandlers: readonly string[];
  readonly records: readonly AttemptRecord[];
  /** The targets that it waits for from now on. Default: as before. */
  readonly waits?: readonly TargetWait[] | undefined;
  /** Does not count the attempt: a shutdown ended it, not the entry. */
  readonly uncount?: boolean;
  /** That the entry has no order key, so no other entry waits for it. Spares a lookup. */
  readonly unordered?: boolean;
}
