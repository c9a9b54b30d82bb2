import { expect, it } from "vitest";
import { FreshRequests } from "../../../../tools/bench/load/fresh-requests.ts";

/** A file that only counts its requests. */
function counted() {
  let count = 0;
  return {
    upTo: (wanted: number) => {
      count = Math.max(count, wanted);
      return { path: "requests", length: 100, bodyLength: 50, count };
    },
  };
}

const load = { connections: 64, seconds: 0.5 };

it("a load that outran its requests is repeated with enough of them, none of which was sent before", async () => {
  const fresh = new FreshRequests(counted(), 600);
  const loads: { first: number; sent: number; count: number }[] = [];
  const result = await fresh.send(load, async (file, first) => {
    loads.push({ first, sent: 150_000, count: file.count });
    return { sent: 150_000, seconds: 0.5 };
  });
  const [outran, repeated, ...more] = loads;
  expect(outran?.count).toBeLessThan(150_000);
  expect(repeated).toMatchObject({ first: 150_000 });
  expect(repeated?.count).toBeGreaterThanOrEqual(300_000);
  expect(more).toEqual([]);
  expect(result.sent).toBe(150_000);
});

it("each load starts after the requests of the one before", async () => {
  const fresh = new FreshRequests(counted(), 600);
  const firsts: number[] = [];
  for (let times = 0; times < 3; times++) {
    await fresh.send(load, async (_, first) => {
      firsts.push(first);
      return { sent: 1000, seconds: 0.5 };
    });
  }
  expect(firsts).toEqual([0, 1000, 2000]);
});

it("after a slow load, few requests are written for the next", async () => {
  const fresh = new FreshRequests(counted(), 200_000);
  const send = async () => ({ sent: 50, seconds: 0.5 });
  await fresh.send(load, send);
  let written = 0;
  await fresh.send({ ...load, seconds: 20 }, async (file) => {
    written = file.count;
    return { sent: 50, seconds: 20 };
  });
  expect(written).toBeLessThan(5000);
});

it("a load that outruns its requests again and again is an error", async () => {
  const fresh = new FreshRequests(counted(), 600);
  const sending = fresh.send(load, async ({ count }, first) => ({
    sent: count - first + 1,
    seconds: 60,
  }));
  await expect(sending).rejects.toThrow("6 times");
});
