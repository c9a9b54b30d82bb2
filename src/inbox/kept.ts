import type { AgeLimits } from "../event/age.ts";
import type { DataProblem } from "../event/data-problems.ts";
import type { DedupKey } from "../event/identity.ts";
import type { Rejection } from "../event/rejection.ts";
import type { Appended } from "./append.ts";
import type { Lease } from "./lease.ts";

/** How to keep an authentic delivery if none of the user's own code is involved. Times are milliseconds. */
export interface KeepTerms extends AgeLimits {
  readonly source: string;
  /** Since 1970. */
  readonly now: number;
  /** From the arrival of a new entry until it is due. */
  readonly holdMs: number;
  /** For a new entry that may run at once. */
  readonly lease?: Lease | undefined;
}

/** What an authentic delivery became: an event's entry, or a dead letter. */
export type Kept = KeptEvent | KeptRejected;

/** An event's entry, new or known. */
export interface KeptEvent extends Appended {
  readonly key: DedupKey;
  readonly kind: string;
  /** Milliseconds since 1970. */
  readonly timestamp: number;
  /** The digest of kind and `data`, without the timestamp: equal for restamps of one event. */
  readonly content: string;
  /** How `data` does not fit its kind's schema; empty if it fits. */
  readonly problems: readonly DataProblem[];
}

/** The dead letter of a rejected delivery. Its key is its own, so it cannot block the event that it may contain. */
export interface KeptRejected extends Appended {
  readonly rejection: Rejection;
  readonly eventId: string;
  /** What could be read of it. */
  readonly kind: string | null;
  readonly timestamp: number | null;
}
