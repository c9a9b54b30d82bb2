import type { DataProblem } from "../event/data-problems.ts";
import type { Delivery, DeliveryHeaders } from "../event/delivery.ts";
import type { AttemptRecord } from "../inbox/attempt-record.ts";
import type { EntryState } from "../inbox/entry-state.ts";
import type { Outcome } from "./outcome.ts";

/** Reported when a request was answered. */
export interface DeliveryObservation {
  readonly type: "delivery";
  readonly method: string;
  /**
   * The raw request target. The values of its query may be credentials: hide them where it is
   * shown.
   */
  readonly target: string;
  /** Without credentials of the relay that forwarded it, and without hop-by-hop headers. */
  readonly headers: DeliveryHeaders;
  /**
   * The address of the connection's other end: the sender, or the last proxy or tunnel; `undefined`
   * if it is unknown.
   */
  readonly remoteAddress?: string | undefined;
  readonly receivedAt: number;
  /** Milliseconds from the request's headers to the response, including the commit. */
  readonly duration: number;
  /** Bytes of the body that were read. */
  readonly bytes: number;
  readonly outcome: Outcome;
  /** The whole delivery, only if it is authentic. */
  readonly delivery?: Delivery | undefined;
}

/** Reported when the handlers of an entry have run, or the entry has ended without running any. */
export interface AttemptObservation {
  readonly type: "attempt";
  readonly seq: number;
  readonly eventId: string;
  readonly kind: string | null;
  readonly attempt: number;
  readonly records: readonly AttemptRecord[];
  /** The entry's state after the attempt. */
  readonly state: EntryState;
  readonly reason: string | null;
  /** For the reason `invalid_data`: which fields do not fit, and how. Otherwise empty. */
  readonly problems: readonly DataProblem[];
  /** For `failing` and `waiting`, when it runs again. */
  readonly runAt: number;
}

/** What a receiver reports to its observers. */
export type Observation = DeliveryObservation | AttemptObservation;
