import { beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { storeClock } from "../../../src/inbox/postgres/clock.ts";
import type { PostgresSession, Query } from "../../../src/inbox/postgres/session.ts";
import { Store } from "../../../src/inbox/postgres/store.ts";
import { keepDays } from "../../../src/inbox/postgres/upkeep.ts";
import { keptLog } from "../../receiver/sample.ts";

const DAY = 86_400_000;
const HOUR = 3_600_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
});

/**
 * The upkeep of a database, with the time for which it has days and how many it makes at each look;
 * `error` makes it fail.
 */
function stage() {
  const database = {
    left: 3 * DAY,
    made: 0,
    error: undefined as Error | undefined,
    /** Held up by a look under way. */
    answers: Promise.resolve(),
    looks: 0,
    asked: [] as (readonly [string, readonly unknown[]])[],
  };
  const answer: Query = async (text, values = []) => {
    await database.answers;
    if (text.includes("clock_timestamp")) return [{ time: Date.now() }];
    database.asked.push([text, values]);
    if (text.includes("AS ms")) database.looks++;
    if (database.error !== undefined) throw database.error;
    if (text.includes("AS ms")) return [{ until: 5 * DAY, ms: database.left }];
    if (text.includes("make_days")) return [{ made: database.made }];
    return text.includes("max(until - first)") ? [{ max: DAY }] : [];
  };
  const session: PostgresSession = {
    query: answer,
    transaction: (run) => run(answer, { query: async () => {} }),
    close: async () => {},
  };
  const { log, lines } = keptLog();
  const store = new Store(session, { schema: "a", name: "a" });
  const upkeep = keepDays(store, storeClock(), log);
  onTestFinished(() => upkeep.stop());
  /** How many looks there are in some milliseconds. */
  const looksIn = async (ms: number) => {
    const before = database.looks;
    await vi.advanceTimersByTimeAsync(ms);
    return database.looks - before;
  };
  return { upkeep, database, lines, looksIn };
}

it("three days are made ahead, without a role's time limit, and statistics are collected", async () => {
  const { upkeep, database } = stage();
  await upkeep.start();
  expect(database.asked.map(([text]) => text)).toEqual([
    expect.stringContaining("AS ms"),
    "SET LOCAL statement_timeout = 0",
    expect.stringContaining("make_days"),
    expect.stringContaining("analyze_first"),
  ]);
  expect(database.asked[2]?.[1]).toEqual([3]);
});

it.each([
  ["there are enough", DAY, 0],
  ["some were made", -DAY, 1],
])("days are looked after every hour if %s", async (_, left, made) => {
  const { upkeep, database, looksIn, lines } = stage();
  Object.assign(database, { left, made });
  await upkeep.start();
  expect(database.looks).toBe(1);
  expect(await looksIn(HOUR - 1)).toBe(0);
  expect(await looksIn(1)).toBe(1);
  expect(await looksIn(2 * HOUR)).toBe(2);
  expect(lines).toEqual([]);
});

it("days are looked after twice a minute while they are missing, and the next trouble is logged anew", async () => {
  const { upkeep, database, looksIn, lines } = stage();
  database.left = DAY - 1;
  await upkeep.start();
  expect(await looksIn(29_999)).toBe(0);
  expect(await looksIn(1)).toBe(1);
  expect(lines).toEqual([]);
  expect(await looksIn(30_000)).toBe(1);
  expect(lines).toMatchObject([{ level: "warn", fields: { daysLeft: 0 } }]);
  database.left = 0;
  await looksIn(30_000);
  expect(lines[1]).toMatchObject({
    level: "warn",
    message: expect.stringContaining("no partition for today"),
  });
  database.left = 2 * DAY;
  await looksIn(30_000);
  database.left = 0;
  await looksIn(HOUR + 30_000);
  expect(lines).toHaveLength(2); // two looks
  await looksIn(30_000);
  expect(lines).toHaveLength(3);
  database.left = 1; // which is better, and no news
  await looksIn(60_000);
  expect(lines).toHaveLength(3);
});

it("a database that fails is asked again soon, and logged with its error", async () => {
  const { upkeep, database, looksIn, lines } = stage();
  database.error = new Error("canary");
  await upkeep.start();
  await looksIn(60_000);
  expect(lines).toMatchObject([
    { level: "warn", fields: { error: expect.stringContaining("canary") } },
  ]);
  expect(lines[0]?.fields).not.toHaveProperty("daysLeft"); // it is not even known
  database.error = undefined;
  await looksIn(30_000);
  expect(await looksIn(HOUR - 1)).toBe(0);
});

it("a look that goes on when the inbox closes is waited for, for 5 seconds at most, and is the last", async () => {
  const { upkeep, database, looksIn } = stage();
  await upkeep.start();
  let end = () => {};
  const hold = () => {
    database.answers = new Promise((resolve) => {
      end = resolve;
    });
  };
  hold();
  await looksIn(HOUR);
  let stopped = 0;
  void upkeep.stop().then(() => stopped++);
  await vi.advanceTimersByTimeAsync(4999);
  expect(stopped).toBe(0);
  await vi.advanceTimersByTimeAsync(1);
  expect(stopped).toBe(1);
  void upkeep.stop().then(() => stopped++);
  end();
  await vi.advanceTimersByTimeAsync(0);
  expect(stopped).toBe(2);
  expect(await looksIn(10 * HOUR)).toBe(0);
  const idle = stage();
  await stage().upkeep.stop(); // before the first look
  await idle.upkeep.start();
  await idle.upkeep.stop(); // waits for nothing
  expect(await idle.looksIn(10 * HOUR)).toBe(0);
});
