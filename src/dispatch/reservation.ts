import type { ClaimedEntry, Lease } from "../inbox/claim.ts";
import type { ReadyEvent } from "./plan/handler.ts";

/** Fields known only after insert. */
export type NewlyKept = Pick<ClaimedEntry, "seq" | "key" | "kind" | "orderKey" | "delivery">;

/**
 * Room to run an entry that is about to be kept. The entry is inserted with this lease, so no claim
 * is needed.
 */
export interface Reservation {
  readonly lease: Lease;
  /** Runs the entry that was inserted with the lease, but not before the sender can be answered. */
  readonly run: (kept: NewlyKept, ready?: ReadyEvent) => void;
  /** Frees the room, unless an entry uses it; returns whether one does. Always call it, once. */
  readonly release: () => boolean;
}
