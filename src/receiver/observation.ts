import type { DataProblem } from "../event/data-problems.ts";
import type { Delivery, DeliveryHeaders } from "../event/delivery.ts";
import type { AttemptRecord } from "../inbox/attempt-record.ts";
import type { EntryState } from "../inbox/entry-state.ts";
import type { DiagnoseOptions, Diagnosis } from "../signature/diagnose/diagnose.ts";
import type { Secret } from "../signature/secrets.ts";
import type { Outcome } from "./outcome.ts";

/** The first digits of a delivery's correct digest under one secret. */
export interface DigestStart extends Pick<Secret, "role" | "fingerprint"> {
  /** 8 hex digits. */
  readonly start: string;
}

/** Reported when a request was answered. */
export interface DeliveryObservation {
  readonly type: "delivery";
  readonly method: string;
  /** The raw request target. The values of its query may be credentials: hide them where it is shown. */
  readonly target: string;
  /** Without credentials of the relay that forwarded it, and without hop-by-hop headers. */
  readonly headers: DeliveryHeaders;
  /** The address of the connection's other end: the sender, or the last proxy or tunnel; `undefined` if it is unknown. */
  readonly remoteAddress?: string | undefined;
  readonly receivedAt: number;
  /** Milliseconds from the request's headers to the response, including the commit. */
  readonly duration: number;
  /** Bytes of the body that were read. */
  readonly bytes: number;
  readonly outcome: Outcome;
  /** The whole delivery, only if it is authentic. */
  readonly delivery?: Delivery | undefined;
  /**
   * Only if the outcome is `unauthorized`: finds out why. The work is done per call, in this thread, in time proportional to
   * the length of the body, and anyone can send such deliveries: call it rarely, or pass a copy of the body to
   * `diagnoseSignature` in a worker thread, and keep the result on this machine. Call it in a `setImmediate` that the listener starts: by then
   * the sender has its answer, so the response time reveals nothing. Later it returns `undefined`, because the bytes of an
   * unauthentic delivery are discarded.
   */
  readonly diagnose?:
    | ((options?: Pick<DiagnoseOptions, "others" | "work">) => Diagnosis | undefined)
    | undefined;
  /**
   * Only if the outcome is `unauthorized`: returns the first digits of the correct digest under each secret, to compare
   * with the received one. Call it when `diagnose` may be called; later it returns an empty list.
   */
  readonly digests?: (() => readonly DigestStart[]) | undefined;
  /**
   * Only if the outcome is `unauthorized`: returns the bytes, which may be anyone's. Copy few of them, and keep them in memory.
   * Call it when `diagnose` may be called; later it returns `undefined`.
   */
  readonly body?: (() => Uint8Array | undefined) | undefined;
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
