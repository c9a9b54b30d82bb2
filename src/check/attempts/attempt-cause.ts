import type { Cause } from "../../signature/diagnose/causes.ts";
import type { Library } from "../../signature/diagnose/json-libraries.ts";
import type { ProbeAnswer } from "../answer.ts";
import type { MixedAnswers } from "../mixed.ts";

/** What a receiver may expect in the header in place of `sha256=` and the hex digest. */
export type ValueForm =
  | "digest"
  | "upper_case"
  | "upper_case_digest"
  | "base64"
  | "base64_digest"
  | "base64_of_hex"
  | "base64_of_hex_digest"
  | "prefix_twice"
  | "signed_bytes";

/** The fault of a receiver that refuses valid deliveries, as far as one particular fault shows. */
export type AttemptFault =
  | { readonly code: "json_verified"; readonly libraries: readonly [Library, ...Library[]] }
  | { readonly code: "other_body_verified"; readonly cause: Cause }
  | { readonly code: "time_in_data_used" }
  | { readonly code: "other_value_expected"; readonly form: ValueForm }
  | { readonly code: "other_algorithm_expected"; readonly algorithm: string }
  | { readonly code: "other_header_read"; readonly name: string; readonly own: string }
  | { readonly code: "other_key_used"; readonly cause: Cause }
  | { readonly code: "other_scheme_verified"; readonly signed: string | undefined };

/** Why a receiver refuses valid deliveries, as found by sending more than the cases. */
export type AttemptCause =
  | (AttemptFault & {
      /** How it answered a delivery that had what it expects, if it failed on what follows. */
      readonly failedWith?: ProbeAnswer;
    })
  /** It accepts some valid deliveries and refuses others. */
  | { readonly code: "refuses_at_random"; readonly mixed?: MixedAnswers }
  /** It refuses what is valid and confirms what is not. */
  | { readonly code: "inverted" }
  /** It answers a wrong signature otherwise than a right one, which it must have verified. */
  | { readonly code: "signature_accepted" }
  /** It was too slow to try all common faults. */
  | { readonly code: "too_slow_to_try" };
