import type { ClaimedEntry, Lease } from "../inbox/inbox.ts";

/** What of an entry is not known before it is kept. */
export type NewlyKept = Pick<ClaimedEntry, "seq" | "key" | "kind" | "delivery">;

/** Room for an entry that is about to be kept: it is leased as it is kept, which spares a claim of its own. */
export class Place {
  /** The lease to keep it with. */
  readonly lease: Lease;
  readonly #run: (entry: ClaimedEntry) => void;
  readonly #free: () => void;
  #isTaken = false;

  /**
   * @param run - runs the entry, and frees the room once it begins
   * @param free - frees the room
   */
  constructor(lease: Lease, run: (entry: ClaimedEntry) => void, free: () => void) {
    this.lease = lease;
    this.#run = run;
    this.#free = free;
  }

  /** Runs the entry that got the lease, in its turn; not before the sender can have its answer. */
  run({ seq, key, kind, delivery }: NewlyKept): void {
    this.#isTaken = true;
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

  /** Gives the room back, unless an entry has it, and says whether it did. Once, when the entry is kept or not. */
  leave(): boolean {
    if (!this.#isTaken) this.#free();
    return !this.#isTaken;
  }
}
