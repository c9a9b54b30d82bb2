import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { EntryState } from "../../../src/entries/index.ts";
import type { Inbox } from "../../../src/inbox/inbox.ts";
import { loadSqlite } from "../../../src/inbox/sqlite/client.ts";
import { sqliteInbox } from "../../../src/inbox/sqlite.ts";
import {
  AT,
  endErasure,
  eraseEntries,
  keep,
  numberedEntry,
  RUN,
  sampleDelivery,
  settlementOf,
} from "../entries.ts";
import { eraseAfterKill, eraseTwiceAtOnce, refuseSecond } from "../erase-at-once.ts";
import { rowsOf } from "./changed-file.ts";

/** Registers what ends with the test. Tests that run at once each pass their own. */
type AtEnd = (end: () => void | Promise<void>) => void;

async function open(path: string, atEnd: AtEnd, access: "own" | "change" = "own"): Promise<Inbox> {
  const inbox = sqliteInbox(path);
  await inbox.open({ access });
  atEnd(() => inbox.close());
  return inbox;
}

function newPath(atEnd: AtEnd): string {
  const folder = mkdtempSync(join(tmpdir(), "hookporter-erase-"));
  atEnd(() => rmSync(folder, { recursive: true }));
  return join(folder, "inbox.db");
}

/** How often a text is in the file and its log. */
function grep(text: string, path: string): number {
  const files = [path, `${path}-wal`].map((file) => readFileSync(file).toString("latin1"));
  return files.join("").split(text).length - 1;
}

/**
 * The history of a receiver, from a seed: bodies, order keys and results of all lengths, some dead
 * letters, one in `tenants` of tenant 1.
 */
async function fill(
  receiver: Inbox,
  seed: number,
  tenants: number,
  backlog: number,
): Promise<void> {
  let last = seed;
  const random = () => {
    last = (last * 1_103_515_245 + 12_345) % 2 ** 31;
    return last / 2 ** 31;
  };
  const letters = (most: number) => "x".repeat(Math.floor(random() * most));
  const tenantOf = (seq: number) => `tenant-${seq % tenants}-secret`;
  for (let seq = 1; seq < 1500; seq += backlog) {
    const entries = Array.from({ length: backlog }, (_, index) => {
      const n = seq + index;
      const pad = random() < 0.02 ? letters(30_000) : letters(1000);
      const body = Buffer.from(JSON.stringify({ data: { tenant: tenantOf(n), pad } }));
      const orderKey = `${tenantOf(n)}-${Math.floor(random() * 300)}${letters(40)}`;
      return numberedEntry(n, 0, { orderKey, delivery: sampleDelivery({ body }) });
    });
    await Promise.all(entries.map((entry) => keep(receiver, entry)));
    for (;;) {
      const claimed = await receiver.claim({ now: AT + 1, limit: 100, leaseTime: 1000 });
      if (claimed.length === 0) break;
      const settlements = claimed.map((entry) => {
        const error = `no ${tenantOf(entry.seq)}`;
        const records = [{ ...RUN, handler: "payment.received", outcome: "error", error }] as const;
        const problems = [{ path: "data", message: `got ${tenantOf(entry.seq)} ${letters(99)}` }];
        const state: EntryState = random() < 0.15 ? "dead" : "handled";
        const failed = { reason: "attempts_exhausted", records, problems } as never;
        const finished = { finishedHandlers: [letters(60)] };
        return settlementOf(entry, { state, ...(state === "dead" ? failed : finished) });
      });
      await Promise.all(settlements.map((settlement) => receiver.settle(settlement, AT)));
    }
  }
}

// At once, as they wait for the disk most of the time.
it.concurrent.for([
  [1, 2, 50],
  [2, 100, 50],
  [3, 2, 750],
  [4, 30, 750],
] as const)(
  "leaves nothing in the file, whatever pages the rows were moved to (seed %i, one of %i, backlog %i)",
  { timeout: 60_000 },
  async ([seed, tenants, backlog], { onTestFinished }) => {
    const path = newPath(onTestFinished);
    const receiver = await open(path, onTestFinished);
    await fill(receiver, seed, tenants, backlog);
    if (seed % 2 === 0) {
      await receiver.retry({ limit: 20 }, AT);
      await receiver.slim({ settledUntil: AT }, { limit: 700 });
    }
    const others = (await receiver.list({})).filter(({ seq }) => seq % tenants !== 1);
    const mine = (await receiver.list({})).filter(({ seq }) => seq % tenants === 1);
    expect(grep("tenant-1-secret", path)).toBeGreaterThan(mine.length);
    const eraser = await open(path, onTestFinished, "change");
    for (let at = 0; at < mine.length; at += 50) {
      const step = mine.slice(at, at + 50).map(({ seq }) => seq);
      expect(await eraseEntries(eraser, step)).toEqual(step);
    }
    expect(await endErasure(eraser)).toMatchObject({ entries: mine.length });
    expect(grep("tenant-1-secret", path)).toBe(0);
    // And the rows around them are as they were.
    expect((await receiver.list({})).filter(({ seq }) => seq % tenants !== 1)).toEqual(others);
    const dead = others.filter(({ state }) => state === "dead");
    for (const { seq } of dead) {
      expect(await receiver.attempts(seq)).toHaveLength(1);
      expect((await receiver.delivery(seq))?.body.byteLength).toBeGreaterThan(0);
    }
    expect(rowsOf(path, "PRAGMA integrity_check")).toEqual([{ integrity_check: "ok" }]);
  },
);

it("waits for a program that reads, and does not end while the log is not empty", async () => {
  const path = newPath(onTestFinished);
  const receiver = await open(path, onTestFinished);
  const { seq } = await keep(receiver, numberedEntry(1));
  const reader = new (loadSqlite().DatabaseSync)(path, { readOnly: true });
  reader.exec("BEGIN; SELECT count(*) FROM entry");
  const eraser = await open(path, onTestFinished, "change");
  expect(await eraseEntries(eraser, [seq])).toEqual([seq]);
  await expect(endErasure(eraser)).rejects.toMatchObject({ code: "inbox_busy" });
  reader.close();
  expect(await endErasure(eraser)).toMatchObject({ entries: 1 });
});

it("lets one of two commands at a time erase, whose receipt is for what it erased", async () => {
  const path = newPath(onTestFinished);
  await eraseTwiceAtOnce(await open(path, onTestFinished), path);
});

it("erases the rest when a killed command is run again, whose receipt counts both parts", {
  timeout: 240_000,
}, async () => {
  const path = newPath(onTestFinished);
  await eraseAfterKill(await open(path, onTestFinished), path);
});

it("tells a second command which process erases, and since when", async () => {
  const path = newPath(onTestFinished);
  await refuseSecond(await open(path, onTestFinished), path);
});
