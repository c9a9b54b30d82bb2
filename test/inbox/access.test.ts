import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { Inbox, OpenTerms } from "../../src/inbox/inbox.ts";
import { closeWholly, openToRead } from "../../src/inbox/sqlite/client.ts";
import { copyInto } from "../../src/inbox/sqlite/file/copy-before.ts";
import { SCHEMA_VERSION } from "../../src/inbox/sqlite/migrations.ts";
import { sqliteInbox } from "../../src/inbox/sqlite.ts";
import { tempFolder } from "../cli/fake-io.ts";
import { AT, claimOne, keep, numberedEntry, sampleEntry, settlementOf } from "./entries.ts";
import { changeFile, rowsOf } from "./sqlite/changed-file.ts";

let path: string;

beforeEach(() => {
  path = join(tempFolder(), "inbox.db");
});

async function open(terms: OpenTerms = {}): Promise<Inbox> {
  const inbox = sqliteInbox(path);
  await inbox.open(terms);
  onTestFinished(() => inbox.close());
  return inbox;
}

describe("an inbox opened for reading", () => {
  it("refuses to write", async () => {
    const own = await open();
    const { seq } = await keep(own, sampleEntry());
    const reader = await open({ access: "read" });
    await expect(keep(reader, numberedEntry(2))).rejects.toMatchObject({
      code: "inbox_unavailable",
    });
    await expect(reader.retry({ seq }, AT)).rejects.toMatchObject({ code: "inbox_unavailable" });
    await expect(reader.claim({ now: AT, limit: 1, leaseTime: 1 })).rejects.toMatchObject({
      code: "inbox_unavailable",
    });
    expect(await own.list({})).toMatchObject([{ state: "waiting" }]);
  });

  it("changes neither the file nor its schema", async () => {
    const first = await open();
    await keep(first, sampleEntry());
    await first.settle(settlementOf(await claimOne(first)), AT);
    await first.close();
    const before = { bytes: readFileSync(path), changed: statSync(path).mtimeMs };
    const reader = await open({ access: "read" });
    expect(await reader.list({})).toMatchObject([{ state: "handled" }]);
    expect(await reader.attempts(1)).toEqual([]);
    await reader.close();
    expect(statSync(path).mtimeMs).toBe(before.changed);
    expect(readFileSync(path).equals(before.bytes)).toBe(true);
    expect(rowsOf(path, "SELECT max(version) AS version FROM migration")).toEqual([
      { version: SCHEMA_VERSION },
    ]);
  });

  it("never moves a log into the file, not even one that was written since", async () => {
    const own = await open();
    await keep(own, sampleEntry());
    await own.close();
    await closeWholly({ close: () => {} });
    const reader = await open({ access: "read" });
    expect(await reader.list({})).toHaveLength(1);
    changeFile(path, "UPDATE entry SET kind = 'other'");
    const before = readFileSync(path);
    const log = readFileSync(`${path}-wal`);
    expect(log.length).toBeGreaterThan(0);
    await reader.close();
    await closeWholly({ close: () => {} });
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(readFileSync(`${path}-wal`).equals(log)).toBe(true);
  });

  it("takes no write, can be copied, and makes no log where it is told that nothing changes", async () => {
    await (await open()).close();
    // on Node 20, files are closed when garbage is collected
    await closeWholly({ close: () => {} });
    const alone = openToRead(path, true);
    expect(alone.prepare("SELECT count(*) AS n FROM entry").get()).toEqual({ n: 0 });
    alone.close();
    expect(existsSync(`${path}-wal`)).toBe(false);
    const database = openToRead(path);
    expect(() => database.exec("DELETE FROM entry")).toThrow("readonly");
    database.close();
    const copy = `${path}.copy`;
    copyInto(path, copy);
    expect(statSync(copy).size).toBeGreaterThan(0);
  });

  it("keeps the marks of held back entries", async () => {
    const own = await open();
    for (const number of [1, 2]) await keep(own, numberedEntry(number, number, { orderKey: "k" }));
    expect(await own.claim({ now: AT + 5, limit: 5, leaseTime: 1e6 })).toHaveLength(1);
    await (await open({ access: "read" })).close();
    await (await open({ access: "change" })).close();
    expect(rowsOf(path, "SELECT held_back FROM entry ORDER BY seq")).toEqual([
      { held_back: 0 },
      { held_back: 1 },
    ]);
  });

  it.each(["read", "change"] as const)("is not created with %s access", async (access) => {
    await expect(open({ access })).rejects.toMatchObject({ code: "inbox_unavailable" });
    expect(readdirSync(join(path, ".."))).toEqual([]);
  });
});
