import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createReceiver } from "../../src/entries/index.ts";
import { memoryInbox } from "../../src/inbox/memory.ts";
import { handleOf } from "../../src/inbox/shared/handle.ts";
import { sqliteInbox } from "../../src/inbox/sqlite.ts";
import { readOptions } from "../../src/receiver/options/settings.ts";
import { Retention } from "../../src/receiver/retention.ts";
import {
  at,
  DAY,
  deliveryOf,
  envelope,
  inboxFile,
  keptLog,
  MINUTE,
  NOW,
  SECRET,
  uncaught,
  wrapInbox,
} from "./sample.ts";

/** An inbox with completed entries, received at these times in this order. */
async function inboxWith(moments: readonly number[], path = "memory:") {
  const inbox = path === "memory:" ? memoryInbox() : sqliteInbox(path);
  for (const moment of moments) {
    const receiver = createReceiver({
      secret: SECRET,
      inbox: handleOf(inbox),
      log: keptLog().log,
      clock: () => moment,
    });
    receiver.on("*", () => {});
    await receiver.start();
    await receiver.accept(deliveryOf(envelope({ timestamp: at(moment - NOW) }), undefined, moment));
    const counts = async () =>
      expect((await inbox.counts()).handled).toBe(moments.indexOf(moment) + 1);
    await vi.waitFor(counts, { interval: 0 });
    await receiver.close();
  }
  await inbox.open({ log: keptLog().log });
  onTestFinished(() => inbox.close());
  return inbox;
}

/**
 * Pruning that looks on timers of the test's, by clocks of the test's; at the start the clock may
 * not work.
 */
async function retentionOf(inbox: ReturnType<typeof memoryInbox>, start = NOW, works = true) {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const clocks = { wall: start, monotonic: 0 };
  const { log, lines } = keptLog();
  const clock = vi.fn(() => clocks.wall);
  if (!works) clock.mockReturnValueOnce(Number.NaN);
  const options = readOptions({ secret: SECRET, inbox: handleOf(inbox), log, clock });
  vi.spyOn(performance, "now").mockImplementation(() => clocks.monotonic);
  onTestFinished(() => void vi.restoreAllMocks());
  const retention = new Retention(options, inbox);
  onTestFinished(() => retention.stop());
  retention.start();
  /** Advances timers and both clocks. */
  const pass = async (ms: number) => {
    for (let left = ms; left > 0; left -= MINUTE) {
      const step = Math.min(left, MINUTE);
      clocks.wall += step;
      clocks.monotonic += step;
      await vi.advanceTimersByTimeAsync(step);
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    }
  };
  /** The number of entries, and of those that still have their delivery. */
  const left = async () => {
    const entries = await inbox.list({});
    const deliveries = await Promise.all(entries.map(({ seq }) => inbox.delivery(seq)));
    return [entries.length, deliveries.filter((delivery) => delivery !== undefined).length];
  };
  return { clocks, lines, pass, left, retention };
}

const RECENT = [NOW - 25 * DAY, NOW - 26 * 3_600_000, NOW - 2 * 3_600_000];

describe("pruning", () => {
  it("deletes nothing for an hour if the clock jumps ahead, or the machine sleeps, then continues", async () => {
    for (const leap of [10 * DAY, 8 * DAY]) {
      const { clocks, pass, left, lines } = await retentionOf(await inboxWith(RECENT));
      await pass(5 * MINUTE);
      expect(await left()).toEqual([3, 2]); // the delivery of 25 days ago exceeds its retention
      clocks.wall += leap;
      await pass(64 * MINUTE);
      expect(await left()).toEqual([3, 2]);
      expect(lines).toMatchObject([
        {
          level: "warn",
          fields: { seconds: leap / 1000 },
          message: "the system clock jumped; pruning paused for an hour",
        },
      ]);
      await pass(20 * MINUTE);
      expect(await left()).toEqual([2, 0]);
      expect(lines).toHaveLength(1);
    }
  });

  it.each([
    ["just before a check", 10 * MINUTE + 4000, 1000, [3, 2]],
    ["between the start and the first check", 0, MINUTE, [3, 3]],
  ])("detects a jump %s", async (_, before, after, kept) => {
    const { clocks, pass, left } = await retentionOf(await inboxWith(RECENT));
    await pass(before);
    clocks.wall += 10 * DAY;
    await pass(after);
    expect(await left()).toEqual(kept);
  });

  it("deletes nothing if the clock is corrected within the hour", async () => {
    const { clocks, pass, left } = await retentionOf(await inboxWith(RECENT));
    await pass(5 * MINUTE);
    clocks.wall += 10 * DAY;
    await pass(40 * MINUTE);
    clocks.wall -= 10 * DAY;
    await pass(5 * 60 * MINUTE);
    expect(await left()).toEqual([3, 2]);
  });

  it("logs one line, however often the clock jumps", async () => {
    const { clocks, pass, lines } = await retentionOf(await inboxWith([]));
    for (let leap = 0; leap < 5; leap++) {
      clocks.wall += DAY;
      await pass(11 * MINUTE);
    }
    expect(lines.filter(({ level }) => level === "warn")).toHaveLength(1);
  });

  it("starts at the first check if the inbox was in use recently", async () => {
    const { pass, left, lines } = await retentionOf(await inboxWith([NOW - 40 * DAY, ...RECENT]));
    await pass(4000);
    expect(await left()).toEqual([4, 4]);
    await pass(1000);
    expect(await left()).toEqual([3, 2]);
    expect(lines).toEqual([]);
  });

  it("waits an hour after a start on an inbox whose last entry is older than two days", async () => {
    const { pass, left, lines } = await retentionOf(
      await inboxWith([NOW - 40 * DAY, NOW - 3 * DAY]),
    );
    await pass(59 * MINUTE);
    expect(await left()).toEqual([2, 2]);
    await pass(12 * MINUTE);
    expect(await left()).toEqual([1, 1]);
    expect(lines).toEqual([]);
  });

  it.each(["memory:", "file"])(
    "also waits at the next start, even if an entry arrived after the jump: %s",
    async (where) => {
      // The clock jumped from NOW by 10 days, and the process was restarted half an hour later.
      const leapt = NOW + 10 * DAY;
      const moments = [...RECENT, leapt];
      const inbox = await inboxWith(moments, where === "file" ? inboxFile() : where);
      const { pass, left } = await retentionOf(inbox, leapt + 30 * MINUTE);
      await pass(20 * MINUTE);
      expect(await left()).toEqual([4, 4]);
    },
  );

  it("waits if the inbox cannot report when its last entry arrived", async () => {
    const calls: number[] = [];
    const inbox = wrapInbox(memoryInbox(), {
      list: () => Promise.reject(new Error("not now")),
      prune: async () => ({ changed: 0, next: void calls.push(1) }),
    });
    const { pass } = await retentionOf(inbox);
    await pass(59 * MINUTE);
    expect(calls).toEqual([]);
    await pass(12 * MINUTE);
    expect(calls).not.toEqual([]);
  });

  it("begins at the first look if the clock did not work at the start", async () => {
    const caught = uncaught();
    const { pass, left, lines } = await retentionOf(
      await inboxWith([NOW - 40 * DAY, ...RECENT]),
      NOW,
      false,
    );
    await pass(MINUTE);
    expect(await left()).toEqual([3, 2]);
    expect([lines, caught]).toEqual([[], []]);
  });

  it("reads the time once, so a jump right after the check deletes nothing", async () => {
    const inbox = await inboxWith(RECENT);
    const { clocks, pass, left, retention } = await retentionOf(inbox);
    await pass(4900);
    // A second reading returns the time after the jump.
    let reads = 0;
    const wall = clocks.wall;
    Object.defineProperty(clocks, "wall", {
      get: () => (reads++ === 0 ? wall + 100 : wall + 10 * DAY),
      set: () => {},
    });
    clocks.monotonic += 100;
    await vi.advanceTimersByTimeAsync(100);
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    await retention.stop();
    expect(await left()).toEqual([3, 2]);
  });
});
