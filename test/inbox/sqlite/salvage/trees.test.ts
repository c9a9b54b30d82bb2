import { describe, expect, it } from "vitest";
import {
  bodyOf,
  change,
  damage,
  fileOf,
  numbers,
  PAGE,
  rootOf,
  salvage,
  seqsOf,
} from "./damaged-file.ts";

const COUNT = 40;
const LONG = 1500;
const REPAIR = "1 page that leads to its deliveries could not be read";

/** A file with 40 deliveries, on 20 pages below the root of their table. */
const longFile = () => fileOf(COUNT, LONG);

async function expectAll(path: string, repairs: readonly string[] = [REPAIR]): Promise<void> {
  const salvaged = await salvage(path);
  expect(seqsOf(salvaged.list)).toEqual(numbers(1, COUNT));
  const { rebuilt, withoutDelivery, lost } = salvaged;
  expect({ rebuilt, withoutDelivery, lost }).toEqual({
    rebuilt: [],
    withoutDelivery: [],
    lost: [],
  });
  expect(salvaged.repairs).toEqual(repairs);
  for (const seq of [1, COUNT])
    expect(
      Buffer.from((await salvaged.inbox.delivery(seq))?.body ?? []).equals(bodyOf(seq, LONG)),
    ).toBe(true);
}

describe("a salvage of a file whose root of deliveries", () => {
  it.each<[string, (root: Buffer) => unknown]>([
    ["has more rows than a page can hold", (root) => root.writeUInt16BE(0xffff, 3)],
    ["has a row before all rows", (root) => root.writeUInt16BE(8, 12)],
    ["has a row at its end", (root) => root.writeUInt16BE(PAGE - 1, 12)],
    ["has a row that its end cuts off", (root) => root.writeUInt16BE(PAGE - 4, 14)],
    ["leads to the first page", (root) => root.writeUInt32BE(1, 8)],
    ["leads to the map of pages", (root) => root.writeUInt32BE(2, root.readUInt16BE(12))],
    ["leads to a page after the end", (root) => root.writeUInt32BE(100_000, root.readUInt16BE(14))],
    ["is of no type", (root) => root.fill(0, 0, 1)],
    ["is full of ones", (root) => root.fill(0xff)],
  ])("%s finds them all, by the map of pages", async (_, spoil) => {
    const path = await longFile();
    const root = rootOf(path, "delivery");
    damage(path, (page) => spoil(page(root)));
    await expectAll(path);
  });

  it("is whole, changes nothing although the map of pages is not", async () => {
    const path = await longFile();
    damage(path, (page) => page(2).fill(5));
    await expectAll(path, []);
  });
});

/** Leaves nothing of the root of the deliveries but zeros. */
function loseRoot(path: string): void {
  const root = rootOf(path, "delivery");
  damage(path, (page) => page(root).fill(0));
}

describe("a salvage of a file without the root of its deliveries", () => {
  it("finds rows that continue on other pages", async () => {
    const path = await fileOf(12, 20_000);
    loseRoot(path);
    const { withoutDelivery, inbox, repairs } = await salvage(path);
    expect({ withoutDelivery, repairs }).toEqual({ withoutDelivery: [], repairs: [REPAIR] });
    expect(Buffer.from((await inbox.delivery(12))?.body ?? []).equals(bodyOf(12, 20_000))).toBe(
      true,
    );
  });

  it("finds those whose pages are in another order than their numbers", async () => {
    const path = await longFile();
    const copy =
      "INSERT INTO delivery SELECT seq + 100, method, target, headers, body FROM delivery WHERE seq > 20";
    change(path, `DELETE FROM delivery WHERE seq BETWEEN 5 AND 16; ${copy}`);
    loseRoot(path);
    const { list, withoutDelivery, rebuilt } = await salvage(path);
    expect(seqsOf(list)).toEqual([...numbers(1, COUNT), ...numbers(121, 140)]);
    expect({ withoutDelivery, rebuilt }).toEqual({
      withoutDelivery: numbers(5, 16),
      rebuilt: numbers(121, 140),
    });
  });

  it("finds numbers of every length", async () => {
    const path = await longFile();
    change(
      path,
      "UPDATE delivery SET seq = 1 << (seq + 12) WHERE seq > 20; UPDATE delivery SET seq = 1 << seq WHERE seq BETWEEN 7 AND 20",
    );
    loseRoot(path);
    const { list, withoutDelivery, rebuilt } = await salvage(path);
    const moved = [...numbers(7, 20), ...numbers(33, 52)].map((seq) => 2 ** seq);
    expect({ withoutDelivery, rebuilt }).toEqual({
      withoutDelivery: numbers(7, 40),
      rebuilt: moved,
    });
    expect(seqsOf(list)).toEqual([...numbers(1, COUNT), ...moved]);
  });

  it("and without some of its pages, finds those on all others", async () => {
    const path = await longFile();
    const leaves = change(
      path,
      "",
      "SELECT pageno FROM dbstat WHERE name = 'delivery' AND pagetype = 'leaf' ORDER BY path",
    );
    const lost = [0, 7, leaves.length - 1].map((at) => Number(leaves[at]?.pageno));
    loseRoot(path);
    damage(path, (page) => {
      for (const number of lost) page(number).fill(0x5a);
    });
    const { list, withoutDelivery } = await salvage(path);
    expect(seqsOf(list)).toEqual(numbers(1, COUNT));
    expect(withoutDelivery).toEqual([1, 2, 15, 16, 39, 40]);
  });

  it("keeps all entries if the map of pages names more pages below it than it could lead to", async () => {
    const path = await longFile();
    change(
      path,
      `WITH RECURSIVE n (seq) AS (SELECT 41 UNION ALL SELECT seq + 1 FROM n WHERE seq < 640)
       INSERT INTO delivery SELECT seq, 'POST', '/', '{}', zeroblob(3500) FROM n`,
    );
    const root = rootOf(path, "delivery");
    loseRoot(path);
    damage(path, (page) => {
      for (const other of numbers(3, 700)) {
        page(2).writeUInt8(5, 5 * (other - 3));
        page(2).writeUInt32BE(root, 5 * (other - 3) + 1);
      }
    });
    const { list, withoutDelivery } = await salvage(path);
    expect(seqsOf(list)).toEqual(numbers(1, COUNT));
    expect(withoutDelivery).toEqual(numbers(1, COUNT));
  });
});
