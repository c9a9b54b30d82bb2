import type { DataProblem } from "../event/data-problems.ts";
import type { Delivery, DeliveryHeaders } from "../event/delivery.ts";
import type { AttemptRecord, EntryState } from "../inbox/inbox.ts";
import type { DiagnoseOptions, Diagnosis } from "../signature/diagnose/diagnose.ts";
import type { DigestStart } from "./digest-starts.ts";
import type { Outcome } from "./outcome.ts";

/** A request was answered. */
export interface DeliveryObservation {
  readonly type: "delivery";
  readonly method: string;
  /** The raw request target. The values of its query may be credentials: hide them where it is shown. */
  readonly target: string;
  /** Without credentials of whoever relayed it, and without what concerns one connection only. */
  readonly headers: DeliveryHeaders;
  readonly receivedAt: number;
  /** From the request's head to the answer, commit included. */
  readonly durationMs: number;
  /** Bytes of the body, as far as it was read. */
  readonly bytes: number;
  readonly outcome: Outcome;
  /** The whole delivery, only where its signature was good: nothing of an unauthentic body goes further. */
  readonly delivery?: Delivery | undefined;
  /**
   * Only where the outcome is `unauthorized`: finds out why. It is worked out when somebody asks, since anybody can send
   * such deliveries: ask seldom, and keep the answer on this machine. Ask in a `setImmediate` that the listener starts:
   * by then the sender has its answer, so that how long it took tells nothing. Later it is `undefined`, for the bytes of
   * an unauthentic delivery are let go.
   */
  readonly diagnose?:
    | ((options?: Pick<DiagnoseOptions, "others" | "work">) => Diagnosis | undefined)
    | undefined;
  /**
   * Only where the outcome is `unauthorized`: how the right digest begins under each secret, to compare with the one that
   * came. Ask when `diagnose` may be asked; empty later.
   */
  readonly digests?: (() => readonly DigestStart[]) | undefined;
}

/** The handlers of an entry ran, or it ended without any. */
export interface AttemptObservation {
  readonly type: "attempt";
  readonly seq: number;
  readonly eventId: string;
  readonly kind: string | null;
  readonly attempt: number;
  readonly records: readonly AttemptRecord[];
  /** What became of the entry. */
  readonly state: EntryState;
  readonly reason: string | null;
  /** For the reason `invalid_data`: which fields do not fit, and how. Otherwise empty. */
  readonly problems: readonly DataProblem[];
  /** For `pending`, when it runs again. */
  readonly runAt: number;
}

/** What a receiver tells those who watch it. */
export type Observation = DeliveryObservation | AttemptObservation;
