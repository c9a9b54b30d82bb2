import type { ClaimedEntry } from "../../inbox/claim.ts";
import type { Settlement } from "../../inbox/settlement.ts";

/** Follows one run of an entry from inside. */
export interface AttemptTrace {
  /** Calls a handler of the entry, in the context in which its own calls belong to this attempt. */
  run<Result>(handler: () => Result): Result;
  /**
   * Called at the end, with the settlement that was stored; `undefined` if the entry was given
   * back, or none could be stored.
   */
  end(settlement: Settlement | undefined): void;
}

/** Follows the runs of entries from inside. */
export interface AttemptTracing {
  /**
   * Called when an entry is about to run. It may turn out that it has to wait, and that no handler
   * runs.
   */
  attempt(entry: ClaimedEntry): AttemptTrace;
}
