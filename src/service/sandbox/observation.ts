import type { ShownSubscription } from "./subscription.ts";

/** A request to the sandbox was answered. */
export interface RequestObservation {
  readonly type: "request";
  readonly method: string;
  readonly target: string;
  readonly status: number;
  /** Milliseconds. */
  readonly duration: number;
}

/** A subscription was created, or removed. */
export interface SubscriptionObservation {
  readonly type: "subscription";
  readonly change: "created" | "removed";
  readonly subscription: ShownSubscription;
}

/** An attempt to deliver has ended; the delivery contains its next attempt. */
export interface SandboxAttemptObservation {
  readonly type: "attempt";
  readonly delivery: SandboxDelivery;
  readonly attempt: SandboxAttempt;
}

/** A stream was opened or closed. */
export interface StreamObservation {
  readonly type: "stream";
  readonly change: "opened" | "closed";
  /** The number of open streams. */
  readonly open: number;
}

/** The simulated outage has started. */
export interface OutageObservation {
  readonly type: "outage";
  /** Milliseconds. */
  readonly duration: number;
}

/** What a sandbox reports to its observers. */
export type SandboxObservation =
  | RequestObservation
  | SubscriptionObservation
  | SandboxAttemptObservation
  | StreamObservation
  | OutageObservation;

/** The state of a delivery of the sandbox. */
export type SandboxDeliveryState = "waiting" | "sending" | "delivered" | "failed" | "cancelled";

/** One attempt to deliver. */
export interface SandboxAttempt {
  /** From 1. */
  readonly attempt: number;
  /** ISO 8601 UTC. */
  readonly at: string;
  /** The endpoint's status; `null` without an answer, and for a stream. */
  readonly status: number | null;
  /** Why it failed, in one line; `null` if it succeeded. */
  readonly error: string | null;
  /** Milliseconds. */
  readonly duration: number;
  /** The simulated faults: `wrong-signature`, `outage`. */
  readonly chaos: readonly string[];
}

/** One delivery of an event to one subscription, or to the stream, as in the log. */
export interface SandboxDelivery {
  readonly id: string;
  readonly event: string;
  /** The envelope's timestamp. */
  readonly timestamp: string;
  /** The subscription, as in the envelope. */
  readonly webhook: { readonly id: string; readonly url: string };
  readonly state: SandboxDeliveryState;
  /** The delivery that this one deliberately duplicates; `null` for most. */
  readonly copyOf: string | null;
  readonly attempts: readonly SandboxAttempt[];
  /** ISO 8601 UTC; `null` if there will be no further attempt. */
  readonly nextAttemptAt: string | null;
}
