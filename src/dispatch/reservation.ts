import type { ClaimedEntry } from "../inbox/claim.ts";
import type { Lease } from "../inbox/lease.ts";

/** Fields known only after insert. */
export type NewlyKept = Pick<ClaimedEntry, "seq" | "key" | "kind" | "delivery">;

/**
 * Room to run an entry that is about to be kept. The entry is inserted with this lease, so no claim is needed. Always
 * {@link release} it, whether or not the entry was kept.
 */
export class Reservation {
  /** The lease to insert the entry with. */
  readonly lease: Lease;
  readonly #run: (entry: ClaimedEntry) => void;
  readonly #free: () => void;
  #isUsed = false;

  /**
   * @param run - runs the entry, and frees the room once it begins
   * @param free - frees the room
   */
  constructor(lease: Lease, run: (entry: ClaimedEntry) => void, free: () => void) {
    this.lease = lease;
    this.#run = run;
    this.#free = free;
  }

  /** Whether an entry runs with it. */
  get isUsed(): boolean {
    return this.#isUsed;
  }

  /** Runs the entry that was inserted with the lease, but not before the sender can be answered. */
  run({ seq, key, kind, delivery }: NewlyKept): void {
    this.#isUsed = true;
    const { token, until } = this.lease;
    this.#run({
      seq,
      lease: token,
      key,
      kind,
      orderKey: null,
      runAt: until,
      attempts: 1,
      finishedHandlers: [],
      delivery,
    });
  }

  /** Frees the room, unless an entry uses it. Call it once. */
  release(): void {
    if (!this.#isUsed) this.#free();
  }
}
