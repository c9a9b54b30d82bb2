import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { RetryWatch } from "../../src/dispatch/runs/retry-watch.ts";
import type { AttemptRecord } from "../../src/entries/index.ts";
import type { Inbox } from "../../src/inbox/inbox.ts";
import type { PacedRetry, Pause } from "../../src/inbox/pause.ts";
import type { Settlement } from "../../src/inbox/settlement.ts";
import { TARGET_AWAY } from "../../src/inbox/target-wait.ts";
import { AT } from "../inbox/entries.ts";
import { keptLog } from "./sample.ts";

const RETRY: PacedRetry = {
  id: 3,
  since: AT,
  who: "ann",
  interval: 10,
  entries: 40,
  left: 36,
  until: AT + 90_000,
};
const PAUSE: Pause = { scope: "retry", name: "3", since: AT, who: "ann" };

/** What the inbox holds, and what it was told. */
let paused: Pause[];
let retries: PacedRetry[];
let told: unknown[];
let looks: number;
let pauseFails: boolean;
let now: number;
let log: ReturnType<typeof keptLog>;
let watch: RetryWatch;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] });
  [paused, retries, told, looks, pauseFails] = [[], [RETRY], [], 0, false];
  now = AT;
  log = keptLog();
  const inbox: Partial<Inbox> = {
    pauses: async () => {
      looks++;
      return { paused, retries };
    },
    pause: async (pause) => {
      if (pauseFails) throw new Error("the disk is full");
      told.push(["pause", pause]);
    },
    resume: async (pause, at) => {
      told.push(["resume", pause, at]);
      return true;
    },
    endRetry: async (id) => void told.push(["end", id]),
  };
  watch = new RetryWatch({ inbox: inbox as Inbox, clock: () => now, log });
});

afterEach(() => {
  vi.useRealTimers();
});

/** Looks, a second after the last time. */
async function look(): Promise<void> {
  vi.advanceTimersByTime(1000);
  await watch.look();
}

const RECORD = { handler: "a", outcome: "error" } as AttemptRecord;
const ended = (
  state: Settlement["state"],
  reason: Settlement["reason"] = null,
  records = [RECORD],
) => ({ state, reason, records }) as Partial<Settlement> as Settlement;
const note = async (settlement: Settlement, times = 1) => {
  for (let time = 0; time < times; time++) await watch.note("3", 9, settlement);
};

const stoppedAfter = (failed: number, of: number) => [
  "pause",
  {
    scope: "retry",
    name: "3",
    since: AT,
    who: `stopped at #9: ${failed} of the latest ${of} failed`,
  },
];

it("looks at most once a second", async () => {
  await watch.look();
  vi.advanceTimersByTime(999);
  await watch.look();
  expect(looks).toBe(1);
  vi.advanceTimersByTime(1);
  await watch.look();
  expect(looks).toBe(2);
});

it.each([
  ["entries are left", { left: 1 }, AT + 100_000],
  ["the last entry is due later", {}, AT + 89_999],
  ["its command may still be writing", { until: AT }, AT + 59_999],
])("lets a retry go on while %s", async (_, parts, at) => {
  retries = [{ ...RETRY, left: 0, ...parts }];
  now = at;
  await look();
  expect(told).toEqual([]);
});

it.each([
  ["the last entry was due", {}, AT + 90_000],
  ["a minute has passed", { until: AT }, AT + 60_000],
])("ends a retry of which nothing is left once %s, and says so", async (_, parts, at) => {
  retries = [{ ...RETRY, left: 0, ...parts }];
  now = at;
  await look();
  expect(told).toEqual([["end", 3]]);
  expect(log.lines).toEqual([{ level: "info", fields: { retry: 3, entries: 40 } }]);
});

it("leaves a retry alone that is paused, and does not end it early", async () => {
  paused = [PAUSE];
  await look();
  expect(told).toEqual([]);
});

it.each([
  ["died", ended("dead", "handler_error")],
  ["failed and waits for its next attempt", ended("waiting")],
  ["found its target away", ended("waiting", TARGET_AWAY)],
])("stops a retry once six of its latest ten %s", async (_, failure) => {
  await note(ended("handled"), 8);
  await note(failure, 5);
  expect(told).toEqual([]);
  await note(failure);
  expect(told).toEqual([stoppedAfter(6, 10)]);
  expect(log.lines).toMatchObject([{ level: "error", fields: { retry: 3 } }]);
});

it.each([
  ["was given back", ended("waiting", null, [])],
  ["waits for a pause", ended("waiting", "paused")],
])("does not count an entry that %s", async (_, settlement) => {
  await note(ended("dead", "handler_error"), 5);
  await note(settlement, 20);
  expect(told).toEqual([]);
  await note(ended("dead", "handler_error"));
  expect(told).toEqual([stoppedAfter(6, 6)]);
});

it("counts the results of each retry by itself", async () => {
  for (const id of [3, 4]) {
    for (let time = 0; time < 5; time++) {
      await watch.note(String(id), 9, ended("dead", "handler_error"));
    }
  }
  expect(told).toEqual([]);
});

it("stops a retry only once, and starts counting again when it is resumed", async () => {
  await note(ended("dead", "handler_error"), 20);
  expect(told).toHaveLength(1);
  paused = [{ ...PAUSE, since: AT + 5 }];
  await look(); // still paused
  await note(ended("dead", "handler_error"), 6);
  expect(told).toHaveLength(1);
  paused = [];
  await look();
  await note(ended("dead", "handler_error"), 5);
  expect(told).toHaveLength(1);
  await note(ended("dead", "handler_error"));
  expect(told).toEqual([stoppedAfter(6, 6), stoppedAfter(6, 6)]);
});

it("says that a retry could not be paused, and tries again", async () => {
  pauseFails = true;
  await note(ended("dead", "handler_error"), 6);
  expect(log.lines).toEqual([{ level: "error", fields: { error: "the disk is full" } }]);
  pauseFails = false;
  await note(ended("dead", "handler_error"), 6);
  expect(told).toEqual([stoppedAfter(6, 6)]);
});
