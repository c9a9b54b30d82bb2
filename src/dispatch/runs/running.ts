import { Chain } from "../../base/chain.ts";
import type { ClaimedEntry } from "../../inbox/claim.ts";
import type { Inbox } from "../../inbox/inbox.ts";
import type { Settlement } from "../../inbox/settlement.ts";

/** An entry that is leased to this process, from its claim until its result is stored. */
export interface RunningEntry {
  readonly entry: ClaimedEntry;
  /** Its settlement; `undefined` if it was given back. Never rejects. */
  readonly finished: Promise<Settlement | undefined>;
  /** Resolves that. */
  readonly finish: (settlement: Settlement | undefined) => void;
  /** Whether its handlers have begun. */
  hasBegun: boolean;
  /** Whether its handlers have ended, so that its result may be stored already. */
  hasRun: boolean;
  leasedUntil: number;
}

/**
 * The entries that run here or are queued, and their leases. Searched rarely, since few run at a
 * time.
 */
export class RunningEntries extends Chain<RunningEntry> {
  async drained(): Promise<void> {
    await Promise.all(this.items().map(({ finished }) => finished));
  }

  /** The entries whose handlers run, or have just ended. */
  inHandlers(): readonly ClaimedEntry[] {
    return this.items()
      .filter(({ hasBegun }) => hasBegun)
      .map(({ entry }) => entry);
  }

  /** Whether an entry runs here, under a lease that has not ended. */
  isLeased(seq: number, now: number): boolean {
    const running = this.findBySeq(seq);
    return running !== undefined && running.leasedUntil > now;
  }

  /**
   * Entries that run here but could be claimed: their lease has ended, or was dated by a clock that
   * was set back.
   */
  leasesInDoubt(now: number, leaseTime: number): readonly number[] {
    const latest = now + leaseTime;
    const unsure: number[] = [];
    for (const { entry, leasedUntil } of this.items()) {
      if (leasedUntil <= now || leasedUntil > latest) unsure.push(entry.seq);
    }
    return unsure;
  }

  async renew(inbox: Inbox, until: number): Promise<void> {
    const all = this.items();
    if (all.length === 0) return;
    const leases = all.map(({ entry: { seq, lease } }) => ({ seq, lease }));
    const lost = new Set(await inbox.renew(leases, until));
    for (const running of all) if (!lost.has(running.entry.seq)) running.leasedUntil = until;
  }

  findBySeq(seq: number): RunningEntry | undefined {
    return this.items().find(({ entry }) => entry.seq === seq);
  }
}
