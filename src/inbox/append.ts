import type { DataProblem } from "../event/data-problems.ts";
import type { Delivery } from "../event/delivery.ts";
import type { DedupKey } from "../event/identity.ts";
import type { ClaimRequest, Lease } from "./claim.ts";
import type { EntryState } from "./entry-state.ts";

/** A verified delivery to keep. */
export interface NewEntry {
  readonly key: DedupKey;
  readonly kind: string | null;
  /** The envelope's timestamp in milliseconds since 1970; `null` if none could be read. */
  readonly eventTimestamp: number | null;
  readonly state: "waiting" | "dead";
  /** Why it is dead, as a stable code. */
  readonly reason: string | null;
  /** Of a dead letter: which fields do not fit, and how. */
  readonly problems?: readonly DataProblem[] | undefined;
  /**
   * Entries of one source and order key run one after another, in order of arrival; `null` for no
   * order.
   */
  readonly orderKey: string | null;
  readonly delivery: Delivery;
  /**
   * When it is first due; {@link ClaimRequest.only} can claim it sooner. Default: at its arrival.
   */
  readonly runAt?: number | undefined;
  /** Keeps it even if its key may have been pruned: for entries that are replayed on purpose. */
  readonly afterPruning?: boolean;
  /**
   * Inserts a waiting entry already leased, so no claim is needed; unless it has an order key and
   * an earlier entry of that key waits or runs.
   */
  readonly lease?: Lease | undefined;
}

/** The entry of a delivery that was kept, new or known. */
export interface Appended {
  readonly seq: number;
  readonly duplicate: boolean;
  /** The entry's state; for a new one, the state passed in, leased or not. */
  readonly state: EntryState;
  /**
   * Whether it was inserted with the lease passed in, so that the caller runs it. An inbox may
   * ignore that lease.
   */
  readonly leased?: boolean;
}
