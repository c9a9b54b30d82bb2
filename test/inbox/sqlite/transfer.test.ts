import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Inbox } from "../../../src/inbox/inbox.ts";
import { loadSqlite } from "../../../src/inbox/sqlite/client.ts";
import { openFileTransfer } from "../../../src/inbox/sqlite/transfer.ts";
import { sqliteInbox } from "../../../src/inbox/sqlite.ts";
import { copyInbox } from "../../../src/inbox/transfer/copy.ts";
import { mergeInbox } from "../../../src/inbox/transfer/merge.ts";
import type { Transfer } from "../../../src/inbox/transfer/transfer.ts";
import { tempFolder } from "../../cli/fake-io.ts";
import { AT, claimOne, keep, numberedEntry, sampleKey, settlementOf } from "../entries.ts";

const newPath = () => join(tempFolder(), "inbox.db");

async function using<Result>(
  path: string,
  use: (inbox: Inbox) => Promise<Result>,
): Promise<Result> {
  const inbox = sqliteInbox(path);
  await inbox.open();
  try {
    return await use(inbox);
  } finally {
    await inbox.close();
  }
}

async function transfer<Result>(
  path: string,
  access: "read" | "own",
  use: (transfer: Transfer) => Promise<Result>,
): Promise<Result> {
  const opened = await openFileTransfer(path, access);
  try {
    return await use(opened);
  } finally {
    await opened.close();
  }
}

const copy = (from: string, to: string) =>
  transfer(from, "read", (a) => transfer(to, "own", (b) => copyInbox(a, b)));
const merge = (from: string, into: string) =>
  transfer(from, "read", (a) => transfer(into, "own", (b) => mergeInbox(a, b)));

function change(path: string, sql: string): void {
  const database = new (loadSqlite().DatabaseSync)(path);
  database.exec(sql);
  database.close();
}

/** Keeps two events: the first has ended, the second runs. Returns their leases. */
async function endedAndRunning(inbox: Inbox) {
  await keep(inbox, numberedEntry(1));
  const ended = await claimOne(inbox);
  await inbox.settle(settlementOf(ended), AT + 1);
  await keep(inbox, numberedEntry(2, 5));
  return { ended, running: await claimOne(inbox, AT + 5, 1e12) };
}

describe("an inbox file", () => {
  it("that is not there cannot be read, and is not made", async () => {
    const path = newPath();
    for (const _ of [1, 2])
      await expect(openFileTransfer(path, "read")).rejects.toMatchObject({
        code: "inbox_unavailable",
      });
  });

  it("without entries has no last number, and nothing to read", async () => {
    await transfer(newPath(), "own", async (empty) => {
      expect([await empty.last(), await empty.count(), await empty.runners()]).toEqual([0, 0, 0]);
      expect(await empty.read({ after: 0, limit: 10 })).toEqual([]);
    });
  });

  it("is read in order, from a number on and up to another", async () => {
    const path = newPath();
    await using(path, (inbox) =>
      Promise.all([1, 2, 3, 4, 5].map((number) => keep(inbox, numberedEntry(number)))),
    );
    await transfer(path, "read", async (transfer) => {
      const seqs = async (range: Parameters<Transfer["read"]>[0]) =>
        (await transfer.read(range)).map(({ entry }) => entry.seq);
      expect(await seqs({ after: 1, limit: 2 })).toEqual([2, 3]);
      expect(await seqs({ after: 3, last: 4, limit: 9 })).toEqual([4]);
      expect(await seqs({ after: 3, limit: 9 })).toEqual([4, 5]);
      expect([await transfer.last(), await transfer.count()]).toEqual([5, 5]);
    });
  });

  it("cannot be written to if it was opened to be read, and says so", async () => {
    const path = newPath();
    await using(path, (inbox) => keep(inbox, numberedEntry(1)));
    await transfer(path, "read", async (transfer) => {
      await expect(transfer.markPruned([{ source: "service", until: AT }])).rejects.toMatchObject({
        code: "inbox_read_only",
      });
      expect(await transfer.pruned()).toEqual([]);
    });
  });

  it("that was copied into is whole without its log once it is closed, although others have it open", async () => {
    const from = newPath();
    const to = newPath();
    await using(from, (inbox) => keep(inbox, numberedEntry(1)));
    await using(to, async () => {});
    const reader = new (loadSqlite().DatabaseSync)(to, { readOnly: true });
    onTestFinished(() => reader.close());
    reader.prepare("SELECT count(*) FROM entry").get();
    await copy(from, to);
    const alone = newPath();
    copyFileSync(to, alone);
    expect(await using(alone, (inbox) => inbox.counts())).toMatchObject({ waiting: 1 });
  });
});

describe("a copy of an inbox file", () => {
  it("takes the result of an entry that ran, and has no lease of one that has ended", async () => {
    const from = newPath();
    const to = newPath();
    const { ended, running } = await using(from, endedAndRunning);
    await copy(from, to);
    await using(to, async (inbox) => {
      expect(await inbox.settle(settlementOf(ended), AT)).toBe(false);
      expect(await inbox.settle(settlementOf(running), AT)).toBe(true);
    });
  });

  it("has the date up to which the events of each source were pruned", async () => {
    const path = newPath();
    await using(path, async (inbox) => {
      for (const [number, source] of ["early", "late", "other\u0000"].entries())
        await keep(inbox, numberedEntry(number, 0, { key: sampleKey({ source }) }));
    });
    const marks = () =>
      transfer(
        path,
        "read",
        async (transfer) =>
          new Map((await transfer.pruned()).map((mark) => [mark.source, mark.until])),
      );
    expect(await marks()).toEqual(new Map());
    change(path, `INSERT INTO pruned VALUES ('early', 10), ('late', 30), ('gone', 5)`);
    expect(await marks()).toEqual(
      new Map([
        ["early", 10],
        ["late", 30],
        ["gone", 5],
      ]),
    );
  });
});

describe("a merge into an inbox file", () => {
  it("lets an entry that ran there run at once, and takes no result of its old lease", async () => {
    const from = newPath();
    const into = newPath();
    const { running } = await using(from, endedAndRunning);
    expect(await merge(from, into)).toMatchObject({ entries: 2, added: 2 });
    await using(into, async (inbox) => {
      expect(await inbox.settle(settlementOf(running), AT)).toBe(false);
      expect(await inbox.list({ seq: 2 })).toMatchObject([
        { state: "failing", runAt: AT + 5, attempts: 1 },
      ]);
      expect(await inbox.claim({ now: AT + 5, limit: 9, leaseTime: 1000 })).toMatchObject([
        { seq: 2, attempts: 2 },
      ]);
    });
  });

  it("keeps all repeats of an event that got further there, and when it was last seen", async () => {
    const from = newPath();
    const into = newPath();
    const events = [numberedEntry(1), numberedEntry(2)];
    const record = {
      attempt: 1,
      handler: "a",
      startedAt: AT,
      duration: 1,
      outcome: "ok",
      error: null,
      failure: null,
    } as const;
    const end = async (inbox: Inbox, handler: string) => {
      for (const entry of await inbox.claim({ now: AT, limit: 9, leaseTime: 1000 }))
        await inbox.settle(
          settlementOf(entry, { records: [{ ...record, handler, note: handler }] }),
          AT,
        );
    };
    await using(from, async (inbox) => {
      for (const event of events) await keep(inbox, event);
      for (const later of [10, 20]) await inbox.touch(sampleKey({ eventId: "evt_1" }), AT + later);
      await inbox.touch(sampleKey({ eventId: "evt_2" }), AT + 90);
      await end(inbox, "there");
    });
    await using(into, async (inbox) => {
      for (const event of events) await keep(inbox, event);
      await inbox.touch(sampleKey({ eventId: "evt_1" }), AT + 90);
      for (const later of [10, 20]) await inbox.touch(sampleKey({ eventId: "evt_2" }), AT + later);
      const failed = (entry: Parameters<typeof settlementOf>[0]) =>
        settlementOf(entry, {
          state: "dead",
          reason: "attempts_exhausted",
          records: [{ ...record, handler: "here", note: null }],
        });
      for (const entry of await inbox.claim({ now: AT, limit: 9, leaseTime: 1000 }))
        await inbox.settle(failed(entry), AT);
    });
    expect(await merge(from, into)).toMatchObject({ advanced: 2 });
    await using(into, async (inbox) => {
      expect(await inbox.list({})).toMatchObject([
        { seq: 1, state: "handled", duplicates: 2, lastSeenAt: AT + 90 },
        { seq: 2, state: "handled", duplicates: 2, lastSeenAt: AT + 90 },
      ]);
      for (const seq of [1, 2]) {
        expect((await inbox.attempts(seq)).map(({ handler }) => handler)).toEqual(["there"]);
        expect(await inbox.delivery(seq)).toBeDefined();
      }
    });
  });

  it("adds what was handled there after the date up to which events were pruned here, of their source", async () => {
    const from = newPath();
    const into = newPath();
    await using(from, async (inbox) => {
      for (const [eventId, source, timestamp] of [
        ["before", "crm", 99],
        ["then", "crm", 100],
        ["after", "crm", 101],
        ["other", "shop", 99],
      ] as const)
        await keep(
          inbox,
          numberedEntry(1, 0, { key: { source, eventId, timestamp }, eventTimestamp: timestamp }),
        );
      for (const entry of await inbox.claim({ now: AT, limit: 9, leaseTime: 1000 }))
        await inbox.settle(settlementOf(entry), AT);
    });
    await transfer(into, "own", (transfer) => transfer.markPruned([{ source: "crm", until: 100 }]));
    expect(await merge(from, into)).toMatchObject({ entries: 4, added: 2 });
    const ids = await using(into, async (inbox) =>
      (await inbox.list({})).map(({ key }) => key.eventId),
    );
    expect(ids).toEqual(["after", "other"]);
  });
});
