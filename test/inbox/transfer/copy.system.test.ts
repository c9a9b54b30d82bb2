import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { Inbox } from "../../../src/inbox/inbox.ts";
import { connect } from "../../../src/inbox/postgres/connect.ts";
import { readPostgresOptions } from "../../../src/inbox/postgres/postgres-options.ts";
import { Store } from "../../../src/inbox/postgres/store.ts";
import { openSchemaTransfer } from "../../../src/inbox/postgres/transfer.ts";
import { postgresStore } from "../../../src/inbox/postgres.ts";
import { openFileTransfer } from "../../../src/inbox/sqlite/transfer.ts";
import { sqliteInbox } from "../../../src/inbox/sqlite.ts";
import { type CopyTerms, copyInbox } from "../../../src/inbox/transfer/copy.ts";
import { openTransfer } from "../../../src/inbox/transfer/open.ts";
import type { Transfer } from "../../../src/inbox/transfer/transfer.ts";
import { AT, keep, numberedEntry, sampleKey } from "../entries.ts";
import { pgliteInboxes, sharedPglite } from "../postgres/pglite.ts";
import { contentOf, fillEveryState, PRUNED } from "./every-state.ts";

/**
 * Schemas that each test finds empty: no test needs more, and new ones would take half a second
 * each.
 */
const SCHEMAS = ["copy_a", "copy_b"];
const emptied = await Promise.all(SCHEMAS.map((schema) => pgliteInboxes(schema)));
const database = await sharedPglite();
await database.waitReady;
let used = 0;
beforeEach(async () => {
  used = 0;
  for (const { empty } of emptied) await empty();
});

/** An inbox that can be opened and copied as often as a test likes. */
interface Place {
  inbox(): Inbox;
  transfer(access: "read" | "own"): Promise<Transfer>;
}

function newFile(): Place {
  const folder = mkdtempSync(join(tmpdir(), "hookporter-copy-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "inbox.db");
  return { inbox: () => sqliteInbox(path), transfer: (access) => openFileTransfer(path, access) };
}

function emptySchema(): Place {
  const schema = SCHEMAS[used++];
  if (schema === undefined) throw new Error("expected a test to need two schemas at most");
  const terms = readPostgresOptions(database, { schema });
  return {
    inbox: () => postgresStore(database, { schema }),
    transfer: async (access) => openSchemaTransfer(new Store(await connect(terms), terms), access),
  };
}

async function using<Result>(
  place: Place,
  use: (inbox: Inbox) => Promise<Result>,
): Promise<Result> {
  const inbox = place.inbox();
  await inbox.open();
  try {
    return await use(inbox);
  } finally {
    await inbox.close();
  }
}

async function copy(from: Place, to: Place, terms?: CopyTerms) {
  const a = await from.transfer("read");
  const b = await to.transfer("own");
  try {
    return await copyInbox(a, b, terms);
  } finally {
    await a.close();
    await b.close();
  }
}

describe.each([
  ["a file to a file", newFile, newFile],
  ["a file to PostgreSQL", newFile, emptySchema],
  ["PostgreSQL to a file", emptySchema, newFile],
])("a copy from %s", (_, makeFrom, makeTo) => {
  it("holds every entry with its number, state, delivery, runs, waits, duplicates and order", async () => {
    const from = makeFrom();
    const to = makeTo();
    await using(from, fillEveryState);
    const original = await using(from, contentOf);
    expect(Object.values(original.counts).every((count) => count > 0)).toBe(true);
    expect(await copy(from, to)).toMatchObject({ entries: 9, before: 0 });
    expect(await using(to, contentOf)).toEqual(original);
    expect(await using(from, contentOf)).toEqual(original);
  });

  it("goes on as the original would: duplicates, pruned events, order keys, leases and numbers", async () => {
    const from = makeFrom();
    const to = makeTo();
    await using(from, fillEveryState);
    await copy(from, to);
    await using(to, async (inbox) => {
      const last = Math.max(...(await inbox.list({})).map(({ seq }) => seq));
      expect(await inbox.append(numberedEntry(1))).toMatchObject({
        duplicate: true,
        state: "handled",
      });
      expect(await inbox.append(PRUNED)).toBeUndefined();
      const { seq } = await keep(inbox, numberedEntry(100, 4));
      expect(seq).toBeGreaterThan(last);
      const claim = async (now: number) =>
        (await inbox.claim({ now, limit: 10, leaseTime: 1000 })).map(({ key }) => key.eventId);
      // 6 is leased still, and holds back 7 and 8
      expect(await claim(AT + 10)).toEqual(["evt_100"]);
      expect(await claim(AT + 1500)).toEqual(["evt_6", "evt_100"]);
    });
  });

  it("goes on where an earlier one was stopped, and changes nothing if it is whole", async () => {
    const from = makeFrom();
    const to = makeTo();
    await using(from, (inbox) =>
      Promise.all(Array.from({ length: 700 }, (_, number) => keep(inbox, numberedEntry(number)))),
    );
    const stop = new AbortController();
    const onProgress = () => stop.abort();
    expect(await copy(from, to, { onProgress, signal: stop.signal })).toBeUndefined();
    const steps: unknown[] = [];
    const second = await copy(from, to, { onProgress: (step) => steps.push(step) });
    expect(second).toMatchObject({ entries: 700, before: 500 });
    expect(steps).toContainEqual({ step: "copy", entries: 700, total: 700 });
    expect(await copy(from, to)).toEqual({ ...second, before: 700 });
    expect(await using(to, (inbox) => inbox.counts())).toMatchObject({ waiting: 700 });
  });

  it("is refused if the other inbox holds something else, which goes on to keep what was pruned here", async () => {
    const from = makeFrom();
    const to = makeTo();
    await using(from, fillEveryState);
    await using(to, (inbox) => keep(inbox, numberedEntry(200)));
    await expect(copy(from, to)).rejects.toMatchObject({
      code: "usage",
      message: expect.stringMatching(/entry 1, which differs/),
    });
    expect(await using(to, (inbox) => inbox.append(PRUNED))).toMatchObject({ duplicate: false });
    const longer = makeTo();
    await copy(from, longer);
    await using(longer, (inbox) => keep(inbox, numberedEntry(201)));
    await expect(copy(from, longer)).rejects.toMatchObject({ code: "usage" });
  });

  it.each(["changed original", "longer original", "longer copy"])(
    "says so if it ends with a %s",
    async (which) => {
      const from = makeFrom();
      const to = makeTo();
      await using(from, (inbox) => keep(inbox, numberedEntry(1)));
      const writer = from.inbox();
      await writer.open();
      onTestFinished(() => writer.close());
      const a = await from.transfer("read");
      const b = await to.transfer("own");
      const write = b.write.bind(b);
      b.write = async (entries) => {
        await write(entries);
        if (which === "changed original") await writer.touch(sampleKey(), AT + 1);
        else (which === "longer copy" ? b : a).count = async () => 2;
      };
      await expect(copyInbox(a, b)).rejects.toMatchObject({ code: "inbox_busy" });
      await a.close();
      await b.close();
    },
  );
});

it("large bodies are read a few at a time", async () => {
  const from = newFile();
  const body = Buffer.alloc(3 * 1024 * 1024, 7);
  await using(from, async (inbox) => {
    for (let number = 0; number < 7; number++) {
      const entry = numberedEntry(number);
      await keep(inbox, { ...entry, delivery: { ...entry.delivery, body } });
    }
  });
  const transfer = await from.transfer("read");
  expect(await transfer.read({ after: 0, limit: 500 })).toHaveLength(2);
  expect(await transfer.read({ after: 4, limit: 500 })).toHaveLength(2);
  await transfer.close();
});

it("an inbox in memory cannot be copied", async () => {
  await expect(openTransfer("memory:", "read")).rejects.toMatchObject({
    code: "inbox_unsupported",
  });
});
