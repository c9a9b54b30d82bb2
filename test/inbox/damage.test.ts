import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { Inbox } from "../../src/inbox/inbox.ts";
import { checkFile } from "../../src/inbox/sqlite/care/check-file.ts";
import { loadSqlite } from "../../src/inbox/sqlite/client.ts";
import { sqliteInbox } from "../../src/inbox/sqlite.ts";
import { AT, claimOne, keep, numberedEntry, sampleDelivery, settlementOf } from "./entries.ts";

let path: string;
let inbox: Inbox;

beforeEach(async () => {
  const folder = mkdtempSync(join(tmpdir(), "hookporter-damage-"));
  path = join(folder, "inbox.db");
  inbox = sqliteInbox(path);
  await inbox.open();
  for (const number of [1, 2, 3]) await keep(inbox, numberedEntry(number, number));
  onTestFinished(async () => {
    await inbox.close();
    rmSync(folder, { recursive: true });
  });
});

/** Changes the file without the inbox. */
function change(sql: string): void {
  const database = new (loadSqlite().DatabaseSync)(path);
  database.exec(sql);
  database.close();
}

function rootPage(table: string): number {
  const database = new (loadSqlite().DatabaseSync)(path, { readOnly: true });
  const row = database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?").get(table);
  database.close();
  return Number(row?.rootpage);
}

function overwrite(page: number): void {
  const file = openSync(path, "r+");
  writeSync(file, Buffer.alloc(4096, 0x5a), 0, 4096, (page - 1) * 4096);
  closeSync(file);
}

const claim = () => inbox.claim({ now: AT + 10, limit: 10, leaseTime: 1000 });

describe("an entry whose delivery cannot be read", () => {
  it.each([
    ["is missing", "DELETE FROM delivery WHERE seq = 2"],
    ["has another body", "UPDATE delivery SET body = x'00' WHERE seq = 2"],
    ["has headers that are not JSON", "UPDATE delivery SET headers = '{' WHERE seq = 2"],
  ])("because it %s is claimed as unreadable, along with the others", async (_, sql) => {
    change(sql);
    const [first, second, third] = await claim();
    expect(second).toMatchObject({ seq: 2, unreadable: expect.any(String), attempts: 1 });
    expect(second?.delivery.body).toHaveLength(0);
    for (const whole of [first, third]) expect(whole?.unreadable).toBeUndefined();
    expect(inbox.damage).toBeUndefined();
  });

  it("keeps its finished handlers", async () => {
    const [first] = await inbox.claim({ now: AT + 10, limit: 1, leaseTime: 1000 });
    if (first === undefined) throw new Error("expected an entry");
    await inbox.settle(settlementOf(first, { state: "failing", finishedHandlers: ["a"] }), AT);
    change("DELETE FROM delivery WHERE seq = 1");
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

describe("a check of the whole file", () => {
  it("finds nothing wrong with an intact file, even if deliveries were pruned", async () => {
    const entry = await inbox.claim({ now: AT + 1, limit: 1, leaseTime: 1000 });
    await inbox.settle(settlementOf(entry[0] ?? (await claimOne(inbox))), AT);
    await inbox.slim({ settledUntil: AT + 1000 }, { limit: 10 });
    expect(await inbox.delivery(1)).toBeUndefined();
    expect(checkFile(path)).toEqual({ problems: [], unreadable: [], usable: true });
  });

  it("lists the entries whose delivery is not what was received", () => {
    change("UPDATE delivery SET body = x'00' WHERE seq = 2; DELETE FROM delivery WHERE seq = 3");
    expect(checkFile(path)).toEqual({ problems: [], unreadable: [2, 3], usable: true });
  });

  it.each([
    ["entry", false],
    ["entry_key", false],
    ["delivery", true],
    ["attempt_entry", true],
  ])("with a damaged page of %s reports it as usable: %s", async (table, usable) => {
    await inbox.close();
    overwrite(rootPage(table));
    const report = checkFile(path);
    expect(report.problems.length).toBeGreaterThan(0);
    expect(report).toMatchObject({ usable });
    if (table === "delivery") expect(report.unreadable).toEqual([1, 2, 3]);
  });

  it("reports a missing file as unusable", () => {
    expect(checkFile(`${path}.gone`)).toMatchObject({
      usable: false,
      problems: [expect.any(String)],
    });
  });
});
