import type { ProbeAnswer } from "./answer.ts";
import type { AttemptCause } from "./attempts/attempt-cause.ts";
import type { CaseId } from "./catalogue.ts";
import type { CauseCode } from "./codes.ts";
import type { LimitCode } from "./limits.ts";
import type { MixedAnswers } from "./mixed.ts";
import type { SlowAnswers } from "./response-times.ts";

/** Why forged deliveries get in that are sent in the plainest form. */
export type OpenCode =
  /** It refuses what is valid and confirms what is not. */
  | "inverted"
  | "forged_at_random"
  | "some_kinds_verified"
  | "answered_before_verified"
  | "nothing_verified"
  | "any_signature_accepted"
  | "part_of_digest_compared"
  | "failed_comparison_accepted"
  | "sent_digits_compared"
  | "only_signed_verified";

/** What several results have in common. */
export type SharedCode =
  | "forged_runs_refused"
  | "failed_event_lost"
  | "fails_now_and_then"
  | "nothing_runs"
  | "confirmed_events_lost"
  | "text_verified"
  | "parsed_body_verified"
  | "unusual_input_fails";

/** How the control was answered, by what that says of the receiver. */
export type ControlCode =
  | "control_refused"
  | "control_not_found"
  | "control_rate_limited"
  | "control_failed"
  | "control_endless"
  | "control_not_200"
  | "control_refused_otherwise"
  | "control_unanswered";

/** How the control was answered, and why as far as attempts have shown. */
export interface RefusedControl {
  readonly code: ControlCode;
  readonly answer: ProbeAnswer | undefined;
  /** How the answer begins. */
  readonly text: string | undefined;
  readonly found: AttemptCause | undefined;
}

/** A cause of which nothing else need be known. */
export interface PlainCause {
  readonly code: Exclude<OpenCode, "sent_digits_compared" | "some_kinds_verified"> | SharedCode;
}

/** The cause that cases share. */
export interface CaseCause {
  readonly code: CauseCode;
  /** The names of the forgeries that were confirmed. */
  readonly confirmed: readonly string[];
}

/** A common cause, and the cases that show it. Its sentence is made in `words/`. */
export type FoundCause = {
  readonly cases: readonly CaseId[];
  /** Whether it lets forged deliveries in. */
  readonly letsForgedIn?: boolean;
} & (
  | PlainCause
  | CaseCause
  /** `evenNone`: not even one digit is needed. */
  | { readonly code: "sent_digits_compared"; readonly evenNone: boolean }
  | { readonly code: "other_spelling_verified"; readonly found: AttemptCause }
  | { readonly code: "refuses_at_random"; readonly mixed: MixedAnswers }
  | RefusedControl
  | SlowAnswers
  | { readonly code: LimitCode; readonly answer: ProbeAnswer; readonly requests: number }
);
