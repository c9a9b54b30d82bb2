import type { ClaimedEntry } from "../inbox/claim.ts";
import type { Lease } from "../inbox/lease.ts";
import type { ReadyEvent } from "./handler.ts";

/** Fields known only after insert. */
export type NewlyKept = Pick<ClaimedEntry, "seq" | "key" | "kind" | "orderKey" | "delivery">;

/**
 * Room to run an entry that is about to be kept. The entry is inserted with this lease, so no claim is needed. Always
 * {@link release} it, whether or not the entry was kept.
 */
export class Reservation {
  /** The lease to insert the entry with. */
  readonly lease: Lease;
  readonly #run: (entry: ClaimedEntry, ready: ReadyEvent | undefined) => void;
  readonly #free: () => void;
  #isUsed = false;

  /**
   * @param run - runs the entry, and frees the room once it begins
   * @param free - frees the room
   */
  constructor(
    lease: Lease,
    run: (entry: ClaimedEntry, ready: ReadyEvent | undefined) => void,
    free: () => void,
  ) {
    this.lease = lease;
    this.#run = run;
    this.#free = free;
  }

  /** Runs the entry that was inserted with the lease, but not before the sender can be answered. */
  run({ seq, key, kind, orderKey, delivery }: NewlyKept, ready?: ReadyEvent): void {
    this.#isUsed = true;
    const { token, until } = this.lease;
    const entry = {
      seq,
      lease: token,
      key,
      kind,
      orderKey,
      runAt: until,
      attempts: 1,
      finishedHandlers: [],
      delivery,
    };
    this.#run(entry, ready);
  }

  /** Frees the room, unless an entry uses it; returns whether one does. Call it once. */
  release(): boolean {
    if (!this.#isUsed) this.#free();
    return this.#isUsed;
  }
}
