import type { CaseId } from "./catalogue.ts";
import type { StopCode } from "./codes.ts";
import type { Limit } from "./limits.ts";
import type { Absence } from "./reachable.ts";

/** Why a run ended before its last case, and the case that ended it. */
export type Stop =
  /** Several cases in a row got no answer, or none that ended. */
  | { readonly code: "silent" | "endless"; readonly cases: number; readonly by: CaseId }
  /** The time of the run was up before its last case. */
  | { readonly code: "out_of_time"; readonly milliseconds: number; readonly by: CaseId }
  /** A limit lasted longer than the wait. */
  | { readonly code: "limited"; readonly limit: Limit; readonly by: CaseId }
  /** It cannot be reached any more. */
  | { readonly code: "unreachable"; readonly absence: Absence; readonly by: CaseId }
  | {
      readonly code: "stopped_receiver";
      readonly absence: Absence;
      readonly stops: StopCode;
      readonly by: CaseId;
    }
  /** No case could be run. */
  | { readonly code: "not_begun"; readonly detail: string; readonly by: null };

/** Whether the receiver cannot go on, as opposed to one that limits or is out of reach. */
export function isReceiversFault(stop: Stop | null): boolean {
  return stop?.code === "stopped_receiver" || stop?.code === "endless";
}
