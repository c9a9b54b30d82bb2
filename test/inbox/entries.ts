import type { DedupKey, Delivery } from "../../src/entries/index.ts";
import type { Appended, NewEntry } from "../../src/inbox/append.ts";
import type { ClaimedEntry } from "../../src/inbox/claim.ts";
import type { Inbox } from "../../src/inbox/inbox.ts";
import type { Runner } from "../../src/inbox/runner.ts";
import type { Settlement } from "../../src/inbox/settlement.ts";

/** The arrival time of sample deliveries. */
export const AT = Date.UTC(2024, 0, 15, 12);

/** A sample dedup key, overridden by the given parts. */
export function sampleKey(parts: Partial<DedupKey> = {}): DedupKey {
  return { source: "service", eventId: "evt_1", timestamp: AT - 5000, ...parts };
}

/** A sample delivery, overridden by the given parts. */
export function sampleDelivery(parts: Partial<Delivery> = {}): Delivery {
  return {
    method: "POST",
    target: "/webhooks",
    headers: { "content-type": "application/json" },
    body: Buffer.from('{"event":"payment.received"}'),
    receivedAt: AT,
    ...parts,
  };
}

/** A sample new entry, overridden by the given parts. */
export function sampleEntry(parts: Partial<NewEntry> = {}): NewEntry {
  return {
    key: sampleKey(),
    kind: "payment.received",
    eventTimestamp: AT - 5000,
    state: "waiting",
    reason: null,
    orderKey: null,
    delivery: sampleDelivery(),
    ...parts,
  };
}

/** A new entry with a separate event id, received `later` milliseconds after the first. */
export function numberedEntry(number: number, later = 0, parts: Partial<NewEntry> = {}): NewEntry {
  const delivery = sampleDelivery({ receivedAt: AT + later });
  return sampleEntry({ key: sampleKey({ eventId: `evt_${number}` }), delivery, ...parts });
}

/** Claims the only due entry. */
export async function claimOne(inbox: Inbox, now = AT, leaseTime = 1000): Promise<ClaimedEntry> {
  const [entry, ...others] = await inbox.claim({ now, limit: 10, leaseTime });
  if (entry === undefined || others.length > 0)
    throw new Error(`expected one due entry, got ${others.length}`);
  return entry;
}

/** A settlement of a claimed entry, overridden by the given parts; default: a successful run. */
export function settlementOf(
  entry: Pick<ClaimedEntry, "seq" | "lease">,
  parts: Partial<Settlement> = {},
): Settlement {
  const { seq, lease } = entry;
  return {
    seq,
    lease,
    state: "handled",
    reason: null,
    runAt: AT,
    finishedHandlers: [],
    records: [],
    ...parts,
  };
}

/** Appends an entry that must be stored or known. */
export async function keep(inbox: Inbox, entry: NewEntry): Promise<Appended> {
  const appended = await inbox.append(entry);
  if (appended === undefined) throw new Error("expected the entry to be kept, or to be known");
  return appended;
}

/** A run of a handler without a fault, but for its name. */
export const RUN = {
  attempt: 1,
  startedAt: AT,
  duration: 1,
  outcome: "ok" as const,
  error: null,
  failure: null,
  note: null,
};

/** Erases entries; what is left of them stays until {@link endErasure}. */
export function eraseEntries(inbox: Inbox, seqs: readonly number[], at = AT) {
  return inbox.erase(({ erase }) => erase(seqs, at));
}

export function endErasure(inbox: Inbox) {
  return inbox.erase(({ end }) => end());
}

/** A process that runs entries of these kinds. */
export function sampleRunner(parts: Partial<Runner> = {}): Runner {
  return { id: "a", version: "1", role: "both", sources: ["service"], kinds: ["*"], ...parts };
}
