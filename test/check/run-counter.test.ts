import { expect, it } from "vitest";
import { runCounter } from "../../src/check/run-counter.ts";

const event = { marker: "prop_check_1", bodies: [] };

/**
 * Counts with an observer that reports this many runs after these milliseconds; returns the count
 * and the seconds it took.
 */
function counterOf(countAt: (ms: number) => number, settle = 1000) {
  let time = 0;
  const observer = { count: async () => countAt(time) };
  const timing = {
    now: () => time,
    wait: async (milliseconds: number) => {
      time += milliseconds;
    },
  };
  const countRuns = runCounter(observer, { timeout: 15_000, settle }, timing);
  return async (wanted: number) => {
    const from = time;
    return [await countRuns(event, wanted), (time - from) / 1000];
  };
}

it("the count is final once the event ran and the time to settle is over", async () => {
  const count = counterOf((ms) => (ms >= 2000 ? 1 : 0));
  expect(await count(1)).toEqual([1, 3]);
  expect(await count(0)).toEqual([1, 1]);
});

it("a second run that is late is seen with a longer time to settle only", async () => {
  const late = (ms: number) => (ms >= 3000 ? 2 : 1);
  expect(await counterOf(late)(1)).toEqual([1, 1]);
  expect(await counterOf(late, 5000)(1)).toEqual([2, 5]);
});

it("a receiver that runs nothing is waited for once, not for every event", async () => {
  const count = counterOf(() => 0);
  expect(await count(1)).toEqual([0, 16]);
  expect(await count(1)).toEqual([0, 2]);
  expect(await count(2)).toEqual([0, 2]);
});

it("a receiver is waited for again once it ran something", async () => {
  const count = counterOf((ms) => (ms >= 17_000 ? 1 : 0));
  expect(await count(1)).toEqual([0, 16]);
  expect((await count(1))[0]).toBe(1);
  expect(await count(2)).toEqual([1, 16]);
});
