import { expect, it, onTestFinished, vi } from "vitest";
import { lowWater } from "../../../src/inbox/postgres/low-water.ts";
import { AT } from "../entries.ts";

const REQUEST = { now: AT, limit: 3, leaseTime: 1000, sources: ["service"] };

/**
 * A mark after a look from the start that took some milliseconds and found entries that were due at
 * some times.
 */
async function after(tookMs: number, dueTimes: readonly number[]) {
  const clock = { now: 0 };
  const looks = { times: 0 };
  vi.spyOn(performance, "now").mockImplementation(() => clock.now);
  const water = lowWater(() => looks.times++);
  onTestFinished(() => {
    water.stop();
    vi.restoreAllMocks();
  });
  expect(water.from(REQUEST, AT)).toBeUndefined();
  await water.claim(REQUEST, async () => {
    clock.now += tookMs;
    return dueTimes.map((run_at) => ({ run_at }));
  });
  return { water, clock, looks };
}

it("a claim after a slow look from the start begins shortly before what was claimed last, or before now if that was all", async () => {
  const from = async (tookMs: number, dueTimes: readonly number[]) =>
    (await after(tookMs, dueTimes)).water.from(REQUEST, AT);
  expect(await from(40, [AT - 60_000, AT - 50_000, AT - 40_000])).toBe(AT - 61_000);
  expect(await from(40, [AT - 60_000])).toBe(AT - 1000);
  expect(await from(5, [AT - 10])).toBeUndefined(); // fast ones stay looks from the start
});

it("a claim looks from the start again after a second, for something else, or if the clock was set back", async () => {
  const { water, clock } = await after(40, []);
  expect(water.from({ ...REQUEST, except: [1] }, AT)).toBeUndefined();
  expect(water.from({ ...REQUEST, exceptKinds: ["a"] }, AT)).toBeUndefined();
  expect(water.from(REQUEST, AT - 2000)).toBeUndefined();
  clock.now += 999;
  expect(water.from(REQUEST, AT)).toBe(AT - 1000);
  clock.now++;
  expect(water.from(REQUEST, AT)).toBeUndefined();
});

it("an entry that becomes due earlier makes the next claim look from the start", async () => {
  const { water } = await after(40, []);
  water.lower(AT - 1000);
  expect(water.from(REQUEST, AT)).toBe(AT - 1000);
  water.lower(AT - 1001);
  expect(water.from(REQUEST, AT)).toBeUndefined();
});

it("an entry that becomes due while a claim is under way is not passed over by the next one", async () => {
  const { water, clock } = await after(40, []);
  for (const [at, from] of [
    [AT - 60_000, undefined],
    [AT - 10, AT - 1000],
  ] as const) {
    clock.now += 1000;
    await water.claim(REQUEST, async () => {
      water.lower(at);
      clock.now += 40;
      return [];
    });
    expect(water.from(REQUEST, AT)).toBe(from);
  }
});

it("a claim that may have missed an entry is followed by a look from the start", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { water, looks } = await after(40, []);
  vi.advanceTimersByTime(5000);
  expect(looks.times).toBe(0);
  for (let claim = 0; claim < 3; claim++) {
    await water.claim(REQUEST, async (from) => {
      expect(from).toBe(AT - 1000);
      return [];
    });
  }
  vi.advanceTimersByTime(1000);
  expect(looks.times).toBe(1);
});
