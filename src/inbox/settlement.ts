import type { DataProblem } from "../event/data-problems.ts";
import type { AttemptRecord } from "./attempt-record.ts";
import { type EntryState, entryState, type StoredState } from "./entry-state.ts";
import type { TargetWait } from "./target-wait.ts";

/** The result of a leased entry. */
export interface Settlement {
  readonly seq: number;
  readonly lease: string;
  readonly state: Exclude<StoredState, "running">;
  readonly reason: string | null;
  /** For the reason `invalid_data`: what does not fit. */
  readonly problems?: readonly DataProblem[] | undefined;
  /** When it may run again, for `pending`. */
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

/** The states in which an attempt can leave an entry. */
export type EndState = Exclude<EntryState, "running">;

/** The state of an entry after an attempt, which does not count if the settlement says so. */
export function stateAfter(
  attempt: number,
  { state, reason, uncount = false }: Pick<Settlement, "state" | "reason" | "uncount">,
): EndState {
  return entryState({ state, attempts: attempt - (uncount ? 1 : 0), reason }) as EndState;
}
