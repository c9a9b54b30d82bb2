import type { SandboxAttempt, SandboxDelivery } from "./delivery-log.ts";
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
