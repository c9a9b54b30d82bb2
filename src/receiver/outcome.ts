import { asError, ConfigurationError, describeError } from "../base/errors.ts";
import type { Logger } from "../base/logger.ts";
import type { DataProblem } from "../event/data-problems.ts";
import type { Rejection } from "../event/rejection.ts";
import type { EntryState } from "../inbox/entry-state.ts";
import type { UnfitReason } from "../inbox/new-entry.ts";
import type { Secret } from "../signature/secrets.ts";
import type { SignatureReason } from "../signature/signature-format.ts";
import type { RefusalReason } from "./refusals.ts";

/** Why a delivery is authentic. Exactly one of the two is set. */
export interface Proof {
  /** The secret that matched; its role shows how far a rotation has progressed. */
  readonly secret?: Pick<Secret, "role" | "fingerprint"> | undefined;
  /** The name of the channel, for an unsigned delivery received over one. */
  readonly channel?: string | undefined;
}

/**
 * Authentic, and committed to the inbox. `entryState` is the entry's at that moment; `dead` if
 * there is a `reason`.
 */
export interface Accepted extends Proof {
  readonly type: "accepted";
  readonly eventId: string;
  readonly seq: number;
  readonly kind: string;
  readonly duplicate: boolean;
  readonly entryState: EntryState;
  /**
   * Why it is a dead letter: `invalid_data` if `data` does not fit its kind's schema,
   * `schema_failed` if that throws, rejects or does not decide in time, `inexact_number` if it has
   * a number that a double does not hold and the receiver rejects those.
   */
  readonly reason?: UnfitReason | undefined;
  /**
   * Which fields do not fit, and how; and numbers that a double does not hold, of an event that is
   * handled, too.
   */
  readonly problems?: readonly DataProblem[] | undefined;
  /**
   * The id of an earlier event that equals this new one except for the timestamp. If the sender
   * gives retries a new timestamp, set `identity`; otherwise each retry runs again.
   */
  readonly restampOf?: string | undefined;
}

/** Authentic but not an event: kept as a dead letter. */
export interface Rejected extends Proof {
  readonly type: "rejected";
  readonly rejection: Rejection;
  /** The envelope's kind, if it is valid except for its time. */
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

/** Not a delivery to this endpoint, or one that did not arrive completely: nothing is kept. */
export interface Refused {
  readonly type: "refused";
  readonly reason: RefusalReason;
}

/** Could not be stored: the sender should retry. */
export interface Unavailable {
  readonly type: "unavailable";
  readonly error: Error;
}

/** A mistake of the integrator, found while a delivery was being processed. */
export interface Misconfigured {
  readonly type: "misconfigured";
  readonly error: Error;
}

/** The result of a delivery. */
export type Outcome = Accepted | Rejected | Unauthorized | Refused | Unavailable | Misconfigured;

/** The outcome of a request that is turned away. */
export function refused(reason: RefusalReason): Refused {
  return { type: "refused", reason };
}

/** Logs why 500 is answered, and returns that outcome. */
export function misconfigured(thrown: unknown, { log }: { readonly log: Logger }): Misconfigured {
  const error = asError(thrown);
  const code = error instanceof ConfigurationError ? error.code : undefined;
  log.error({ code }, `answered 500: ${describeError(error)}`);
  return { type: "misconfigured", error };
}
