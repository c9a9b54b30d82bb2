import type { DataProblem } from "../event/data-problems.ts";
import type { Rejection } from "../event/read-envelope.ts";
import type { EntryState } from "../inbox/inbox.ts";
import type { Secret } from "../signature/secrets.ts";
import type { SignatureReason } from "../signature/verify.ts";

/** Why a request was turned away before its signature was looked at. */
export type RefusalReason =
  | "wrong_path"
  | "wrong_method"
  | "too_slow"
  | "too_large"
  | "content_encoding"
  | "aborted"
  | "stalled"
  | "overloaded";

/** Why a delivery counts as authentic. Exactly one of the two is there. */
export interface Proof {
  /** The secret that matched: its role tells a rotation's progress. */
  readonly secret?: Pick<Secret, "role" | "fingerprint"> | undefined;
  /** The name of the channel it came over, for one that is not signed. */
  readonly channel?: string | undefined;
}

/** Authentic, committed to the inbox. `entryState` is the entry's at that moment, `dead` for `data` that does not fit. */
export interface Accepted extends Proof {
  readonly type: "accepted";
  readonly eventId: string;
  readonly seq: number;
  readonly kind: string;
  readonly duplicate: boolean;
  readonly entryState: EntryState;
  /** `invalid_data` for a known kind whose `data` does not fit its schema. */
  readonly reason?: "invalid_data" | undefined;
  /** For `invalid_data`: which fields do not fit, and how. */
  readonly problems?: readonly DataProblem[] | undefined;
  /**
   * For a new event that says the same as an earlier one under another timestamp: that one's id. If the sender dates its
   * retries anew, set `identity`; otherwise each retry runs again.
   */
  readonly restampOf?: string | undefined;
}

/** Authentic but not an event: kept as a dead letter. */
export interface Rejected extends Proof {
  readonly type: "rejected";
  readonly rejection: Rejection;
  /** The envelope's, where it is an envelope and only its time is wrong. */
  readonly kind: string | null;
  readonly seq: number;
  readonly eventId: string;
  readonly duplicate: boolean;
}

/** Not authentic: nothing is kept. The reason is for the local log and live view only. */
export interface Unauthorized {
  readonly type: "unauthorized";
  readonly reason: SignatureReason;
}

/** Not a delivery to this endpoint, or one that did not arrive whole: nothing is kept. */
export interface Refused {
  readonly type: "refused";
  readonly reason: RefusalReason;
}

/** Could not be kept: the sender should come again. */
export interface Unavailable {
  readonly type: "unavailable";
  readonly error: Error;
}

/** The integrator's mistake, found while a delivery was under way. */
export interface Misconfigured {
  readonly type: "misconfigured";
  readonly error: Error;
}

/** What became of a delivery. */
export type Outcome = Accepted | Rejected | Unauthorized | Refused | Unavailable | Misconfigured;
