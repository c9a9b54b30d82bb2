import { readFileSync, truncateSync } from "node:fs";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { Delivery } from "../../../../src/entries/index.ts";
import type { Entry } from "../../../../src/inbox/entry.ts";
import { openDatabase } from "../../../../src/inbox/sqlite/client.ts";
import { AT, settlementOf } from "../../entries.ts";
import { contentOf, fillEveryState } from "../../transfer/every-state.ts";
import { open } from "../opened.ts";
import {
  change,
  damage,
  keepEvent,
  madeFile,
  numbers,
  PAGE,
  salvage as salvageFile,
  seqsOf,
} from "./damaged-file.ts";

const COUNT = 200;

let path: string;
let entries: readonly Entry[];

/** An inbox of 200 events, half of them done. */
beforeEach(async () => {
  path = await madeFile(async (inbox) => {
    await Promise.all(numbers(1, COUNT).map((number) => keepEvent(inbox, number)));
    const claimed = await inbox.claim({ now: AT + 10_000, limit: COUNT / 2, leaseTime: 1000 });
    await Promise.all(claimed.map((entry) => inbox.settle(settlementOf(entry), AT + 20_000)));
    entries = await inbox.list({});
  });
});

/** Salvages into a new inbox, and opens it; the damaged file stays as it is. */
async function salvage(from = path) {
  const before = readFileSync(from);
  const salvaged = await salvageFile(from);
  expect(readFileSync(from).equals(before)).toBe(true);
  return salvaged;
}

function overwrite(position: number, length: number, value = 0): void {
  damage(path, (_, content) => content.fill(value, position, position + length));
}

function overwritePages(pages: readonly number[], value = 0): void {
  expect(pages).not.toEqual([]);
  damage(path, (page) => {
    for (const number of pages) page(number).fill(value);
  });
}

/** The root of a table, and all pages that lead to its leaves. */
function interiorOf(name: string): readonly number[] {
  const sql = `SELECT pageno FROM dbstat WHERE name = '${name}' AND pagetype = 'internal' ORDER BY path`;
  return change(path, "", sql).map(({ pageno }) => Number(pageno));
}

const textOf = (delivery: Delivery | undefined) => Buffer.from(delivery?.body ?? []).toString();

/**
 * Leaves of a table, found by their content: a page that has this text, and is not an overflow
 * page.
 */
function leavesWith(text: string): readonly number[] {
  const content = readFileSync(path);
  return numbers(1, content.length / PAGE).filter((number) => {
    const page = content.subarray((number - 1) * PAGE, number * PAGE);
    return page[0] === 0x0d && page.includes(text);
  });
}

const all = numbers(1, COUNT);

describe("a salvage", () => {
  it("of an intact file copies every entry as it is", async () => {
    const { list, ...found } = await salvage();
    expect(list).toEqual(entries);
    expect(found).toMatchObject({
      repairs: [],
      entries: COUNT,
      rebuilt: [],
      withoutDelivery: [],
      lost: [],
    });
  });

  it("of entries of every state keeps all that belongs to them", async () => {
    let content: unknown;
    path = await madeFile(async (inbox) => {
      await fillEveryState(inbox);
      content = await contentOf(inbox);
    });
    expect(await contentOf((await salvage()).inbox)).toEqual(content);
  });

  it("rebuilds the entries of a lost page from their deliveries, with their keys, and they run again", async () => {
    overwritePages(leavesWith("waiting").slice(-1));
    const { list, rebuilt, lost } = await salvage();
    expect(rebuilt.length).toBeGreaterThan(3);
    expect(lost).toEqual([]);
    expect(list.map(({ key }) => key)).toEqual(entries.map(({ key }) => key));
    expect(list.filter(({ seq }) => !rebuilt.includes(seq))).toEqual(
      entries.filter(({ seq }) => !rebuilt.includes(seq)),
    );
    for (const seq of rebuilt)
      expect(list[seq - 1]).toMatchObject({
        state: "waiting",
        kind: "payment.received",
        attempts: 0,
      });
  });

  it.each([
    ["entry", "entries"],
    ["delivery", "deliveries"],
  ])("without the root of the %s table copies every entry as it is", async (table, rows) => {
    overwritePages(interiorOf(table), 0x5a);
    const { list, repairs, rebuilt, withoutDelivery, inbox } = await salvage();
    expect(list).toEqual(entries);
    expect(repairs).toEqual([`1 page that leads to its ${rows} could not be read`]);
    expect({ rebuilt, withoutDelivery }).toEqual({ rebuilt: [], withoutDelivery: [] });
    expect(textOf(await inbox.delivery(150))).toContain('"event-150"');
  });

  it("without any page that leads to its rows, copies every entry as it and its log have it", async () => {
    const filled = await open(path);
    const large = numbers(COUNT + 1, COUNT + 1000);
    await Promise.all(large.map((number) => keepEvent(filled, number, 3500)));
    await filled.close();
    const interior = interiorOf("delivery");
    expect(interior.length).toBeGreaterThan(2);
    const database = openDatabase(path);
    onTestFinished(() => database.close());
    // in the log, until this connection closes
    database.exec("UPDATE entry SET duplicates = 7 WHERE seq = 1100");
    overwritePages([...interior, ...interiorOf("entry"), ...interiorOf("attempt")]);
    const { list, repairs, withoutDelivery, inbox } = await salvage();
    expect(list).toHaveLength(COUNT + 1000);
    expect(list[1099]).toMatchObject({ seq: 1100, duplicates: 7 });
    expect(repairs).toContain(
      `${interior.length} pages that lead to its deliveries could not be read`,
    );
    expect(withoutDelivery).toEqual([]);
    expect((await inbox.delivery(COUNT + 1000))?.body.length).toBeGreaterThan(3000);
  });

  it("ends if a page leads back to itself, and loses what only that page leads to", async () => {
    const [root = 0] = interiorOf("delivery");
    damage(path, (page) => page(root).writeUInt32BE(root, 8));
    const { list, withoutDelivery } = await salvage();
    expect(list).toHaveLength(COUNT);
    expect(withoutDelivery.length).toBeLessThan(20);
  });

  it("of a file in which a leaf was written over the root of its deliveries copies every entry as it is", async () => {
    const [root = 0] = interiorOf("delivery");
    const [leaf = 0] = leavesWith('"event-150"');
    damage(path, (page) => page(leaf).copy(page(root)));
    const { list, withoutDelivery, inbox } = await salvage();
    expect(list).toEqual(entries);
    expect(withoutDelivery).toEqual([]);
    expect(textOf(await inbox.delivery(1))).toContain('"event-1"');
  });

  it("without the root of its entries and the map of its pages, rebuilds them all", async () => {
    overwritePages([...interiorOf("entry"), 2], 0x5a);
    const { list, rebuilt } = await salvage();
    expect(rebuilt).toEqual(all);
    expect(list.map(({ key }) => key)).toEqual(entries.map(({ key }) => key));
  });

  it("without a page of deliveries, keeps their entries, and names those that cannot run", async () => {
    const [page = 0] = leavesWith('"event-150"');
    const onPage = readFileSync(path)
      .subarray((page - 1) * PAGE, page * PAGE)
      .toString("latin1");
    const hit = [...onPage.matchAll(/"event-(\d+)"/g)].map(([, number]) => Number(number));
    overwritePages([page]);
    const { list, withoutDelivery, inbox } = await salvage();
    expect(seqsOf(list)).toEqual(all);
    expect(withoutDelivery).toEqual(hit.sort((x, y) => x - y));
    expect(await inbox.delivery(150)).toBeUndefined();
  });

  it.each([
    ["its header", 0, 100, 0x5a],
    ["its first page", 0, PAGE, 0x5a],
    ["its first page, by zeros", 0, PAGE, 0],
    ["its tables' addresses", 100, PAGE - 100, 0],
  ])(
    "of a file that has lost %s copies every entry as it is",
    async (_, position, length, value) => {
      overwrite(position, length, value);
      const { list, repairs } = await salvage();
      expect(list).toEqual(entries);
      expect(repairs).toEqual(["its list of tables could not be read"]);
    },
  );

  it("of a file that was cut short copies what is left, up to the last number that it can read, and says that", async () => {
    const { length } = readFileSync(path);
    truncateSync(path, Math.floor(0.6 * length) + 100); // the empty tables are in its first half
    const { list, lost, rebuilt, repairs } = await salvage();
    expect(repairs).toEqual(["the file was cut short"]);
    const missing = all.filter((seq) => !seqsOf(list).includes(seq));
    const told = lost.flatMap(([from, to]) => all.filter((seq) => seq >= from && seq <= to));
    expect(list.length).toBeGreaterThan(COUNT / 5);
    const last = Math.max(...seqsOf(list), ...told);
    expect(new Set([...seqsOf(list), ...told])).toEqual(new Set(all.slice(0, last)));
    expect(missing).toEqual(expect.arrayContaining(told));
    for (const entry of list) {
      if (!rebuilt.includes(entry.seq)) expect(entry).toEqual(entries[entry.seq - 1]);
    }
  });
});
