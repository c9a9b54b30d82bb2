import type { NewEntry } from "../../../src/inbox/append.ts";
import type { ClaimedEntry } from "../../../src/inbox/claim.ts";
import type { Inbox } from "../../../src/inbox/inbox.ts";
import type { Settlement } from "../../../src/inbox/settlement.ts";
import { bodySource } from "../events.ts";

const HOUR = 3_600_000;
/** Entries that wait to be kept at a time: about as many as connections of senders. */
export const AT_ONCE = 256;

/**
 * A source of new entries with bodies of 600 bytes. Their dates, also of arrival, begin at a time
 * in milliseconds since 1970.
 */
export function entrySource(
  parts: Partial<NewEntry> = {},
  from = Date.now() - HOUR,
): () => NewEntry {
  const bodyOf = bodySource(600, from);
  let next = 0;
  return () => {
    const { kind, body, signature, timestamp } = bodyOf(next++);
    const headers = { "content-type": "application/json", "x-service-signature": signature };
    const key = { source: "service", eventId: `evt_1_${signature.slice(7, 47)}`, timestamp };
    const delivery = { method: "POST", target: "/webhooks", headers, body, receivedAt: timestamp };
    return {
      key,
      kind,
      eventTimestamp: timestamp,
      state: "waiting",
      reason: null,
      orderKey: null,
      delivery,
      ...parts,
    };
  };
}

/** Runs a number of loops side by side, until each has ended. */
export async function sideBySide(
  many: number,
  loop: (index: number) => Promise<void>,
): Promise<void> {
  await Promise.all(Array.from({ length: many }, (_, index) => loop(index)));
}

/** Appends a number of entries. */
export async function append(inbox: Inbox, next: () => NewEntry, many: number): Promise<void> {
  let left = many;
  await sideBySide(AT_ONCE, async () => {
    while (left-- > 0) await inbox.append(next());
  });
}

/** The settlement of a claimed entry that was handled. */
export function done({ seq, lease }: ClaimedEntry): Settlement {
  const record = {
    attempt: 1,
    handler: "*",
    startedAt: Date.now(),
    duration: 1,
    outcome: "ok" as const,
  };
  const records = [{ ...record, error: null, failure: null, note: null }];
  const ended = {
    state: "handled" as const,
    reason: null,
    runAt: Date.now(),
    finishedHandlers: ["*"],
  };
  return { seq, lease, ...ended, records, unordered: true };
}

/** Claims all entries that are due, in parts, and settles them. */
export async function runAll(inbox: Inbox): Promise<void> {
  for (;;) {
    const now = inbox.now ?? Date.now();
    const claimed = await inbox.claim({ now, limit: 500, leaseTime: HOUR });
    if (claimed.length === 0) return;
    await Promise.all(claimed.map((entry) => inbox.settle(done(entry), now)));
  }
}
