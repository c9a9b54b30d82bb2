import { execFileSync } from "node:child_process";
import { statSync } from "node:fs";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { ClaimedEntry } from "../../../src/inbox/claim.ts";
import type { Inbox } from "../../../src/inbox/inbox.ts";
import { sqliteInbox } from "../../../src/inbox/sqlite.ts";
import { keptLog } from "../../receiver/sample.ts";
import {
  AT,
  keep,
  numberedEntry,
  RUN,
  sampleDelivery,
  sampleKey,
  settlementOf,
} from "../entries.ts";
import { changeFile, overwrite, rootPage } from "./changed-file.ts";
import { newPath } from "./opened.ts";

let path: string;
let inbox: Inbox;
let log: ReturnType<typeof keptLog>;

beforeEach(async () => {
  path = newPath();
  inbox = sqliteInbox(path);
  log = keptLog();
  await inbox.open();
  for (const number of [1, 2, 3]) await keep(inbox, numberedEntry(number, number));
  onTestFinished(() => inbox.close());
});

/** Overwrites a page while the inbox is closed, and opens it again. */
async function damage(name: string): Promise<void> {
  await inbox.close();
  overwrite(path, { table: name });
  await inbox.open({ log: log.log });
}

const claim = (limit = 10) => inbox.claim({ now: AT + 10, limit, leaseTime: 1000 });

async function claimFirst(): Promise<ClaimedEntry> {
  const [first] = await claim(1);
  if (first === undefined) throw new Error("expected an entry");
  return first;
}

const levels = () => log.lines.map(({ level }) => level);

describe("an entry whose delivery cannot be read", () => {
  it.each([
    ["is missing", "DELETE FROM delivery WHERE seq = 2"],
    ["has another body", "UPDATE delivery SET body = x'00' WHERE seq = 2"],
    ["has headers that are not JSON", "UPDATE delivery SET headers = '{' WHERE seq = 2"],
  ])("because it %s is claimed as unreadable, along with the others", async (_, sql) => {
    changeFile(path, sql);
    const [first, second, third] = await claim();
    expect(second).toMatchObject({ seq: 2, unreadable: expect.any(String), attempts: 1 });
    expect(second?.delivery.body).toHaveLength(0);
    for (const whole of [first, third]) expect(whole?.unreadable).toBeUndefined();
    expect(inbox.damage).toBeUndefined();
  });

  it("keeps its finished handlers", async () => {
    const first = await claimFirst();
    await inbox.settle(settlementOf(first, { state: "failing", finishedHandlers: ["a"] }), AT);
    changeFile(path, "DELETE FROM delivery WHERE seq = 1");
    expect(await claim()).toMatchObject([{ seq: 1, finishedHandlers: ["a"] }, {}, {}]);
  });
});

it("an empty body can be read as received", async () => {
  await keep(inbox, numberedEntry(4, 4, { delivery: sampleDelivery({ body: new Uint8Array() }) }));
  expect((await claim()).map(({ unreadable }) => unreadable)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

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
    const entry = await claimFirst();
    expect(
      await inbox.settle(settlementOf(entry, { records: [{ ...RUN, handler: "a" }] }), AT),
    ).toBe(true);
    expect(await inbox.counts()).toMatchObject({ handled: 1, running: 0 });
    expect(levels()).toContain("error");
  });

  it("still refuses the result of a lease that was lost", async () => {
    const entry = await claimFirst();
    const late = settlementOf({ ...entry, lease: "lost" }, { records: [{ ...RUN, handler: "a" }] });
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
  const position = (rootPage(path, name) - 1) * 4096;
  const program = `const file = fs.openSync(process.argv[1], "r+");
    fs.writeSync(file, Buffer.alloc(4096, 0x5a), 0, 4096, ${position})`;
  execFileSync(process.execPath, ["-e", program, path]);
  changeFile(path, "PRAGMA user_version = 1"); // after a commit, the inbox reads pages again
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
