import { createHash } from "node:crypto";
import type { AttemptRecord } from "../../src/entries/index.ts";
import type { NewEntry } from "../../src/inbox/append.ts";
import { openDatabase } from "../../src/inbox/sqlite/client.ts";
import { sqliteInbox } from "../../src/inbox/sqlite.ts";
import { keep, settlementOf } from "../inbox/entries.ts";
import { deliveryOf, envelope } from "../receiver/sample.ts";

const ENTRIES = 400;
const DONE = 60;
const TRIED = 60;
const DEAD = 20;

/**
 * An inbox after some use: ended entries, attempted and new ones, large bodies, free pages. Closed
 * properly.
 */
export interface AgedInbox {
  /** SHA-256 of the bodies by event id, hex. */
  readonly hashes: ReadonlyMap<string, string>;
  /** The event ids of entries that are due. */
  readonly due: ReadonlySet<string>;
}

/** Creates one. All its times are `now`. */
export async function makeAgedInbox(path: string, now: number): Promise<AgedInbox> {
  const inbox = sqliteInbox(path);
  await inbox.open();
  const entries = Array.from({ length: ENTRIES }, (_, number) => oldEntry(number, now));
  await Promise.all(entries.map((entry) => keep(inbox, entry)));
  const claim = (limit: number) => inbox.claim({ now, limit, leaseTime: 1000 });
  for (const entry of await claim(DONE)) {
    await inbox.settle(settlementOf(entry, { runAt: now, records: [record(now, "ok")] }), now);
  }
  const tried = await claim(TRIED + DEAD);
  for (const [index, entry] of tried.entries()) {
    const failed = { runAt: now, records: [record(now, "error")] };
    const end =
      index < DEAD ? { state: "dead", reason: "attempts_exhausted" } : { state: "waiting" };
    await inbox.settle(
      settlementOf(entry, { ...failed, ...end } as Parameters<typeof settlementOf>[1]),
      now,
    );
  }
  const due = (await inbox.list({ states: ["waiting", "failing"] })).map(({ key }) => key.eventId);
  await inbox.close();
  freeSomePages(path);
  const hashes = entries.map(({ key, delivery }) => [key.eventId, sha256(delivery.body)] as const);
  return { hashes: new Map(hashes), due: new Set(due) };
}

/** Every eighth has a body of several pages, every tenth an order key. */
function oldEntry(number: number, now: number): NewEntry {
  const id = `old-${number}`;
  const text = "x".repeat(number % 8 === 0 ? 30_000 : 300);
  const event = envelope({ id, timestamp: new Date(now).toISOString(), data: { number, text } });
  return {
    key: { source: "service", eventId: id, timestamp: now },
    kind: "payment.received",
    eventTimestamp: now,
    state: "waiting",
    reason: null,
    orderKey: number % 10 === 9 ? `key-${number % 4}` : null,
    delivery: deliveryOf(event, undefined, now),
  };
}

function record(now: number, outcome: AttemptRecord["outcome"]): AttemptRecord {
  const error = outcome === "ok" ? null : "the target was not there";
  const note = "what the target answered ".repeat(20);
  return {
    attempt: 1,
    handler: "*",
    startedAt: now,
    duration: 1,
    outcome,
    error,
    failure: null,
    note,
  };
}

/** Deletes the deliveries of some done entries, which leaves free pages. */
function freeSomePages(path: string): void {
  const database = openDatabase(path);
  database.exec(
    "DELETE FROM delivery WHERE seq IN (SELECT seq FROM entry WHERE state = 'handled' LIMIT 40)",
  );
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
}

/** SHA-256, hex. */
export function sha256(body: Uint8Array): string {
  return createHash("sha256").update(body).digest("hex");
}
