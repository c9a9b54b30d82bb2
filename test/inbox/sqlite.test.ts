import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Inbox } from "../../src/inbox/inbox.ts";
import { openDatabase, pragma } from "../../src/inbox/sqlite/client.ts";
import { sqliteInbox } from "../../src/inbox/sqlite.ts";
import { describeInbox } from "./contract.ts";
import {
  AT,
  endErasure,
  eraseEntries,
  keep,
  numberedEntry,
  RUN,
  sampleDelivery,
  sampleEntry,
  settlementOf,
} from "./entries.ts";
import { changeFile, rowsOf } from "./sqlite/changed-file.ts";
import { open } from "./sqlite/opened.ts";

const FOLDER = mkdtempSync(join(tmpdir(), "hookporter-inbox-"));
let files = 0;
const newPath = () => join(FOLDER, `inbox-${++files}.sqlite`);

afterAll(() => rmSync(FOLDER, { recursive: true }));

describeInbox("the SQLite inbox", () => sqliteInbox(newPath()));

describe("the SQLite inbox", () => {
  it("checks at most about a thousand held back entries per claim, and continues with the next claim", async () => {
    const inbox = await open(newPath());
    const held = Array.from({ length: 2500 }, (_, number) =>
      numberedEntry(number, 0, { orderKey: "a" }),
    );
    await Promise.all(held.map((entry) => inbox.append(entry)));
    const { seq } = await keep(inbox, numberedEntry(9999, 1));
    const claims: number[][] = [];
    for (let claim = 0; claim < 3; claim++) {
      const entries = await inbox.claim({ now: AT + 1, limit: 5, leaseTime: 1000 });
      claims.push(entries.map((entry) => entry.seq));
    }
    expect(claims).toEqual([[1], [], [seq]]);
  });

  it("refuses an entry whose body does not fit into 64 MiB with those that wait for a commit, and takes it alone", async () => {
    const inbox = await open(newPath());
    const first = keep(inbox, numberedEntry(1));
    const large = numberedEntry(2, 0, {
      delivery: sampleDelivery({ body: Buffer.alloc(64 * 1024 * 1024) }),
    });
    await expect(keep(inbox, large)).rejects.toMatchObject({ code: "inbox_busy" });
    expect(await first).toMatchObject({ duplicate: false });
    expect(await keep(inbox, large)).toMatchObject({ duplicate: false });
  });

  describe("as a file", () => {
    it("keeps entries, deliveries, records and leases over close and reopen", async () => {
      const path = newPath();
      const before = await open(path);
      for (const number of [1, 2, 3]) await before.append(numberedEntry(number, number));
      const [first, second] = await before.claim({ now: AT + 2, limit: 2, leaseTime: 500 });
      if (first === undefined || second === undefined) throw new Error("expected two entries");
      const record = { ...RUN, handler: "a", duration: 1.5 };
      await before.settle(settlementOf(first, { records: [record] }), AT + 3);
      const entries = await before.list({});
      await before.close();

      const after = await open(path);
      expect(await after.list({})).toEqual(entries);
      expect(await after.attempts(first.seq)).toEqual([record]);
      expect(await after.delivery(first.seq)).toMatchObject({
        target: "/webhooks",
        receivedAt: AT + 1,
      });
      expect(await after.append(numberedEntry(1))).toMatchObject({
        seq: first.seq,
        duplicate: true,
        state: "handled",
      });
      expect(await after.settle(settlementOf(second), AT + 4)).toBe(true);
    });

    it("commits pending writes when it is closed", async () => {
      const path = newPath();
      const inbox = await open(path);
      const appended = Array.from({ length: 20 }, (_, number) =>
        keep(inbox, numberedEntry(number)),
      );
      await inbox.close();
      expect(await Promise.all(appended)).toHaveLength(20);
      // one complete file, with an empty log
      expect(existsSync(`${path}-wal`) ? statSync(`${path}-wal`).size : 0).toBe(0);
      expect(await (await open(path)).list({})).toHaveLength(20);
    });

    it("[case 90] is readable only by its owner, as is its write-ahead log, and becomes so if it was not", async () => {
      const path = newPath();
      const inbox = await open(path);
      await inbox.append(sampleEntry());
      const modes = [path, `${path}-wal`, `${path}-shm`].map((file) => statSync(file).mode & 0o777);
      expect(modes).toEqual([0o600, 0o600, 0o600]);
      await inbox.close();
      chmodSync(path, 0o644);
      await open(path);
      expect(statSync(path).mode & 0o777).toBe(0o600);
    });

    it("[case 70] uses a write-ahead log, flushed on each commit", async () => {
      const path = newPath();
      const inbox = await open(path);
      await keep(inbox, sampleEntry());
      expect(existsSync(`${path}-wal`)).toBe(true);
      const database = openDatabase(path);
      try {
        expect(pragma(database, "journal_mode")).toBe("wal");
        expect(pragma(database, "synchronous")).toBe(2);
        // On macOS, a plain fsync leaves writes in the disk's own cache.
        expect([pragma(database, "fullfsync"), pragma(database, "checkpoint_fullfsync")]).toEqual([
          1, 1,
        ]);
      } finally {
        database.close();
      }
    });
  });

  describe("refuses to open", () => {
    it("[case 71] another program's file, and keeps its bytes and permissions", async () => {
      const path = newPath();
      changeFile(path, "CREATE TABLE customer (name TEXT)");
      chmodSync(path, 0o644);
      const bytes = readFileSync(path);
      await expect(open(path)).rejects.toMatchObject({ code: "inbox_corrupt" });
      expect(readFileSync(path).equals(bytes)).toBe(true);
      expect(statSync(path).mode & 0o777).toBe(0o644);
    });

    it("a folder, and a path below a file", async () => {
      const path = newPath();
      writeFileSync(path, "");
      for (const wrong of [FOLDER, join(path, "inbox.sqlite")])
        await expect(open(wrong)).rejects.toMatchObject({ code: "inbox_unavailable" });
    });
  });

  describe("reports a failed write", () => {
    it("[case 67] when it is full, and works again once there is room", async () => {
      const path = newPath();
      const inbox = await open(path);
      await keep(inbox, numberedEntry(1));
      // A trigger simulates a full disk: page limits are per connection, and the inbox's connection
      // is private.
      changeFile(
        path,
        "CREATE TRIGGER full BEFORE INSERT ON delivery BEGIN SELECT RAISE(ABORT, 'full'); END",
      );
      await expect(keep(inbox, numberedEntry(2))).rejects.toMatchObject({
        code: "inbox_unavailable",
      });
      expect(await inbox.list({})).toHaveLength(1);
      changeFile(path, "DROP TRIGGER full");
      expect(await keep(inbox, numberedEntry(2))).toMatchObject({ duplicate: false });
    });
  });

  it.each<[string, (inbox: Inbox) => Promise<unknown>]>([
    ["append", (inbox) => keep(inbox, sampleEntry())],
    ["claim", (inbox) => inbox.claim({ now: AT, limit: 1, leaseTime: 1 })],
    ["list", (inbox) => inbox.list({})],
  ])("rejects %s before it is opened and after it is closed", async (_, call) => {
    const inbox = sqliteInbox(newPath());
    await expect(call(inbox)).rejects.toMatchObject({ code: "closed" });
    await inbox.close();
    await inbox.open();
    await Promise.all([inbox.close(), inbox.close()]);
    await expect(call(inbox)).rejects.toMatchObject({ code: "closed" });
  });

  it("gives back the pages of what is erased", async () => {
    const path = newPath();
    const inbox = await open(path);
    const delivery = sampleDelivery({ body: Buffer.alloc(2_000_000, "x") });
    const { seq } = await keep(
      inbox,
      sampleEntry({ state: "dead", reason: "invalid_json", delivery }),
    );
    await eraseEntries(inbox, [seq]);
    await endErasure(inbox);
    await inbox.close();
    expect(rowsOf(path, "PRAGMA freelist_count")).toEqual([{ freelist_count: 0 }]);
  });
});
