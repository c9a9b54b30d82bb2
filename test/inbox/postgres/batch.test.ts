import { expect, it } from "vitest";
import { Batches } from "../../../src/inbox/postgres/batch.ts";

/** Lets a batch begin. */
const turn = () => new Promise((resolve) => setTimeout(resolve, 10));

/** Batches that note what they ran, and end when they are told to. */
function noted(keyOf?: (item: number) => unknown, mayOvertake?: (item: number) => boolean) {
  const ran: (readonly number[])[] = [];
  const ends: (() => void)[] = [];
  const batches = new Batches<number, string>({
    run: async (items) => {
      ran.push(items);
      await new Promise<void>((resolve) => ends.push(resolve));
      if (items.includes(-1)) throw new Error("unlucky");
      if (items.includes(-2)) throw new Error("gone");
      return items.map((item) => `ran ${item}`);
    },
    isFaultOfOne: (thrown) => (thrown as Error).message === "unlucky",
    ...(keyOf && { keyOf }),
    ...(mayOvertake && { mayOvertake }),
  });
  /** Ends every batch, until nothing is left. */
  const endAll = async () => {
    const timer = setInterval(() => ends.shift()?.(), 1);
    await batches.idle();
    clearInterval(timer);
  };
  return { batches, ran, endAll };
}

it("what arrives in one turn shares a batch, and what arrives meanwhile gathers for the next", async () => {
  const { batches, ran, endAll } = noted();
  const first = [batches.add(1), batches.add(2)];
  await turn();
  const second = [batches.add(3), batches.add(4)];
  await endAll();
  expect(ran).toEqual([
    [1, 2],
    [3, 4],
  ]);
  expect(await Promise.all([...first, ...second])).toEqual(["ran 1", "ran 2", "ran 3", "ran 4"]);
});

it("a batch has a maximum of items and of bytes, but always one", async () => {
  const { batches, ran, endAll } = noted();
  const mebibyte = 1024 * 1024;
  const all = Array.from({ length: 600 }, (_, item) => batches.add(item));
  for (const [item, size] of [6, 3, 9].entries())
    all.push(batches.add(1000 + item, size * mebibyte));
  await endAll();
  await Promise.allSettled(all);
  expect(ran[0]).toHaveLength(512);
  expect(
    ran.filter((items) => items.some((item) => item >= 1000)).map((items) => items.at(-1)),
  ).toEqual([1000, 1001, 1002]);
});

it("items of one key are in different batches, in order", async () => {
  const { batches, ran, endAll } = noted((item) => item % 10);
  const all = [1, 2, 11, 3, 21].map((item) => batches.add(item));
  await endAll();
  await Promise.all(all);
  expect(ran).toEqual([[1, 2, 3], [11], [21]]);
});

it("a large number of items that may overtake others runs in a second batch beside the first", async () => {
  const { batches, ran, endAll } = noted(undefined, (item) => item < 1000);
  const all = [batches.add(0)];
  await turn();
  for (let item = 1; item < 128; item++) all.push(batches.add(item), batches.add(1000 + item));
  await turn();
  expect(ran).toEqual([[0]]); // 127 are too few
  all.push(batches.add(128));
  await turn();
  expect(ran.slice(1)).toEqual([Array.from({ length: 128 }, (_, index) => index + 1)]);
  for (let item = 201; item < 400; item++) all.push(batches.add(item));
  await turn();
  expect(ran).toHaveLength(2); // two batches at a time
  await endAll();
  expect((await Promise.all(all)).every((result) => result.startsWith("ran"))).toBe(true);
  const ordered = ran.flat().filter((item) => item > 1000);
  expect(ordered).toEqual(Array.from({ length: 127 }, (_, index) => 1001 + index));
  // never side by side
  expect(ran.filter((items) => items.some((item) => item > 1000))).toHaveLength(1);
});

it("a batch that fails by the fault of one item is run one by one, and otherwise refused as a whole", async () => {
  const { batches, ran, endAll } = noted();
  const statuses = async (items: readonly number[]) => {
    const results = Promise.allSettled(items.map((item) => batches.add(item)));
    await endAll();
    return (await results).map(({ status }) => status);
  };
  expect(await statuses([1, -1, 2])).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(await statuses([1, -2])).toEqual(["rejected", "rejected"]);
  expect(ran).toEqual([[1, -1, 2], [1], [-1], [2], [1, -2]]);
});

it("more than fits in memory is refused as busy", async () => {
  const { batches, endAll } = noted();
  const mebibyte = 1024 * 1024;
  const large = [30, 30, 30].map((size, item) => batches.add(item, size * mebibyte));
  await expect(large[2]).rejects.toMatchObject({ code: "inbox_busy" });
  await endAll();
  await Promise.all(large.slice(0, 2));
  const many = Array.from({ length: 10_001 }, (_, item) => batches.add(item + 100));
  await expect(many.at(-1)).rejects.toMatchObject({ code: "inbox_busy" });
  await endAll();
  await Promise.all(many.slice(0, -1));
});

it("in an outage what waits is refused at once, and one batch at a time finds out whether it is over", async () => {
  const ends: ((error?: Error) => void)[] = [];
  const batches = new Batches<number, number>({
    run: (items) =>
      new Promise((resolve, reject) =>
        ends.push((error) => (error === undefined ? resolve(items) : reject(error))),
      ),
    isFaultOfOne: () => false,
    isOutage: (thrown) => (thrown as Error).message === "no answer",
  });
  const until = async (many: number) => {
    while (ends.length < many) await new Promise((turn) => setImmediate(turn));
  };
  const outcome = (promise: Promise<number>) =>
    promise.then(
      () => "done",
      (error: Error) => error.message,
    );
  const first = outcome(batches.add(1));
  await until(1);
  const waiting = outcome(batches.add(2)); // while nobody knows of the outage
  ends[0]?.(new Error("no answer"));
  expect(await Promise.all([first, waiting])).toEqual(["no answer", "no answer"]);
  const probe = outcome(batches.add(3));
  expect(await outcome(batches.add(4))).toBe("no answer");
  await until(2);
  expect(await outcome(batches.add(5))).toBe("no answer");
  ends[1]?.();
  expect(await probe).toBe("done");
  const one = outcome(batches.add(6));
  const two = outcome(batches.add(7));
  await until(3);
  ends[2]?.();
  expect(await Promise.all([one, two])).toEqual(["done", "done"]);
});
