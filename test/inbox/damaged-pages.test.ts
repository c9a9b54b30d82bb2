import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { AttemptRecord } from "../../src/entries/index.ts";
import type { Inbox } from "../../src/inbox/inbox.ts";
import { loadSqlite } from "../../src/inbox/sqlite/client.ts";
import { sqliteInbox } from "../../src/inbox/sqlite.ts";
import { keptLog } from "../receiver/sample.ts";
import { AT, keep, numberedEntry, sampleDelivery, sampleKey, settlementOf } from "./entries.ts";

const RECORD: AttemptRecord = {
  attempt: 1,
  handler: "a",
  startedAt: AT,
  duration: 1,
  outcome: "ok",
  error: null,
  failure: null,
  note: null,
};

let path: string;
let inbox: Inbox;
let log: ReturnType<typeof keptLog>;

beforeEach(async () => {
  const folder = mkdtempSync(join(tmpdir(), "hookporter-pages-"));
  path = join(folder, "inbox.db");
  inbox = sqliteInbox(path);
  log = keptLog();
  await inbox.open();
  for (const number of [1, 2, 3]) await keep(inbox, numberedEntry(number, number));
  onTestFinished(async () => {
    await inbox.close();
    rmSync(folder, { recursive: true });
  });
});

/**
 * Overwrites the first page of a table or index. The inbox must be closed, or its locks would end.
 */
function overwrite(name: string): void {
  const database = new (loadSqlite().DatabaseSync)(path);
  const row = database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?").get(name);
  database.close();
  const file = openSync(path, "r+");
  writeSync(file, Buffer.alloc(4096, 0x5a), 0, 4096, (Number(row?.rootpage) - 1) * 4096);
  closeSync(file);
}

/** Overwrites a page while the inbox is closed, and opens it again. */
async function damage(name: string): Promise<void> {
  await inbox.close();
  overwrite(name);
  await inbox.open({ log: log.log });
}

const claim = (limit = 10) => inbox.claim({ now: AT + 10, limit, leaseTime: 1000 });
const levels = () => log.lines.map(({ level }) => level);

describe("an inbox file with a damaged page of deliveries", () => {
  beforeEach(() => damage("delivery"));

  it("opens, and says so", () => {
    expect(log.lines).toMatchObject([
      { level: "error", message: expect.stringContaining("a delivery cannot be read") },
    ]);
    expect(inbox.damage).toBeUndefined();
  });

  it("still claims its entries, as unreadable, and stores what became of them", async () => {
    const entries = await claim();
    expect(entries.map(({ seq, unreadable }) => [seq, typeof unreadable])).toEqual([
      [1, "string"],
      [2, "string"],
      [3, "string"],
    ]);
    for (const entry of entries) {
      expect(
        await inbox.settle(settlementOf(entry, { state: "dead", reason: "unreadable" }), AT),
      ).toBe(true);
    }
    expect(await inbox.counts()).toMatchObject({ dead: 3, running: 0 });
  });
});

describe("an inbox file with a damaged page of attempts", () => {
  beforeEach(() => damage("attempt"));

  it("stores a result without its records, so that the entry does not run for ever", async () => {
    const [entry] = await claim(1);
    if (entry === undefined) throw new Error("expected an entry");
    expect(await inbox.settle(settlementOf(entry, { records: [RECORD] }), AT)).toBe(true);
    expect(await inbox.counts()).toMatchObject({ handled: 1, running: 0 });
    expect(levels()).toContain("error");
  });

  it("still refuses the result of a lease that was lost", async () => {
    const [entry] = await claim(1);
    if (entry === undefined) throw new Error("expected an entry");
    const late = settlementOf({ ...entry, lease: "lost" }, { records: [RECORD] });
    expect(await inbox.settle(late, AT)).toBe(false);
  });
});

describe("an inbox file whose index of keys is damaged", () => {
  beforeEach(async () => {
    await expect(damage("entry_key")).rejects.toMatchObject({ code: "inbox_corrupt" });
  });

  it("does not open, and can be closed", async () => {
    await expect(claim()).rejects.toMatchObject({ code: "closed" });
    await expect(inbox.open()).rejects.toMatchObject({ code: "inbox_corrupt" });
  });
});

/**
 * Overwrites a page while the inbox is open: in another process, as closing the file would end our
 * locks.
 */
async function damageWhileOpen(name: string): Promise<void> {
  await inbox.close(); // all pages are in the file
  await inbox.open({ log: log.log });
  const database = new (loadSqlite().DatabaseSync)(path);
  const row = database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?").get(name);
  const position = (Number(row?.rootpage) - 1) * 4096;
  const program = `const file = fs.openSync(process.argv[1], "r+");
    fs.writeSync(file, Buffer.alloc(4096, 0x5a), 0, 4096, ${position})`;
  execFileSync(process.execPath, ["-e", program, path]);
  database.exec("PRAGMA user_version = 1"); // after a commit, the inbox reads pages again
  database.close();
}

describe("an inbox file that is damaged while it is open", () => {
  it.each<[string, string, () => Promise<unknown>]>([
    ["append", "entry_key", () => inbox.append(numberedEntry(4))],
    ["touch", "entry_key", () => inbox.touch(sampleKey({ eventId: "evt_1" }), AT)],
    ["renew", "entry", () => inbox.renew([{ seq: 1, lease: "x" }], AT)],
  ])("acknowledges nothing once %s meets the damage", async (_, name, call) => {
    await damageWhileOpen(name);
    expect(inbox.damage).toBeUndefined();
    await expect(call()).rejects.toMatchObject({ code: "inbox_corrupt" });
    expect(inbox.damage).toMatchObject({
      code: "inbox_corrupt",
      message: expect.stringContaining("inbox check"),
    });
    expect(levels()).toEqual(["error"]);
  });
});

it("pruning and slimming give the pages of what they delete back to the system", async () => {
  for (let number = 10; number < 200; number++) {
    const delivery = sampleDelivery({ body: Buffer.alloc(3000) });
    await keep(
      inbox,
      numberedEntry(number, number, { delivery, state: "dead", reason: "too_old" }),
    );
  }
  const size = async () => {
    await inbox.close();
    const { size: bytes } = statSync(path);
    await inbox.open();
    return bytes;
  };
  const before = await size();
  const all = { receivedUntil: AT + 1000, datedUntil: AT + 1000 };
  await inbox.prune({ states: ["dead"], ...all }, { limit: 1000 });
  expect(await size()).toBeLessThan(before / 2);
});
