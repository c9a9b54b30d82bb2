import type { ProbeAnswer } from "./answer.ts";
import type { AttemptCause } from "./attempts/attempt-cause.ts";
import type { CauseCode, StopCode } from "./codes.ts";
import type { Limit } from "./limits.ts";
import type { Absence } from "./reachable.ts";

/** Faults of which nothing else need be known. */
export type PlainFaultCode =
  /** The connection ended without an answer. */
  | "closed"
  /** 5xx where a refusal was expected. */
  | "invalid_failed"
  /** 5xx to a valid delivery. */
  | "delivery_failed"
  /** 3xx to a valid delivery. */
  | "redirects"
  /** 409 to a valid delivery. */
  | "conflict"
  /** 401 or 403 to a valid delivery that is not about its signature. */
  | "unauthorised"
  /** A correct refusal, but not the preferred one. */
  | "other_refusal_preferred"
  /** It failed, was sent again and confirmed, and never ran. */
  | "lost"
  /** A forged event was refused, and ran. */
  | "runs_refused"
  | "confirmed_never_ran"
  /** Its event was confirmed and never ran, though the case is about something else. */
  | "confirmed_lost"
  /** Why a case was not applicable. */
  | "control_not_confirmed"
  | "receiver_stopped"
  | "no_observer"
  | "refused_after_repeats";

/**
 * What is wrong with a receiver, as one case shows it: the case's own cause, what an attempt
 * found, or what any case may meet. Its sentence is in `words/`.
 */
export type Fault =
  | { readonly code: CauseCode | PlainFaultCode }
  /** What an attempt found that was sent besides. */
  | { readonly code: "found"; readonly found: AttemptCause }
  | { readonly code: "silent"; readonly timeout: number }
  | { readonly code: "endless"; readonly status: number; readonly timeout: number }
  | { readonly code: "unreachable"; readonly detail: string }
  /** A status that neither confirms nor refuses, or refuses what is valid. */
  | { readonly code: "not_refused" | "not_200" | "refused_otherwise"; readonly status: number }
  /** A valid delivery is refused, and otherwise than a wrong signature. */
  | {
      readonly code: "refused_for_another_reason";
      readonly answer: ProbeAnswer;
      readonly refusal: ProbeAnswer;
    }
  | { readonly code: "slow"; readonly milliseconds: number }
  /** The receiver was gone afterwards, for good or for a moment. */
  | {
      readonly code: "stopped_receiver";
      readonly absence: Absence;
      readonly stops: StopCode;
    }
  | { readonly code: "not_observed"; readonly detail: string }
  | { readonly code: "limited"; readonly limit: Limit };
