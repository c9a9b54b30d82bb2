import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { StoreClock } from "../../../src/inbox/postgres/clock.ts";
import { Runners } from "../../../src/inbox/postgres/runners.ts";
import type { Value } from "../../../src/inbox/postgres/session.ts";
import type { Store } from "../../../src/inbox/postgres/store.ts";
import { keptLog } from "../../receiver/sample.ts";
import { AT } from "../entries.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
});

/** Lets everything run that waits for no timer. */
async function settled(): Promise<void> {
  for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve));
}

/** Passes time in steps, so that what a timer begins has ended before the next one. */
async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 500) {
    vi.advanceTimersByTime(Math.min(500, left));
    await settled();
  }
}

/** An answer that comes when it is told to. */
function later() {
  let end = (_: readonly object[]) => {};
  const promise = new Promise<readonly object[]>((resolve) => {
    end = resolve;
  });
  return { promise: promise as Promise<never>, end: (rows: readonly object[]) => end(rows) };
}

const OWN = {
  id: "own",
  version: "1",
  role: "run",
  sources: ["a b"],
  kinds: ["payment.*"],
} as const;

/** What the statements of a process are for, by a part of their text. */
const KINDS = [
  ["end leases", "UPDATE @.turn SET run_at"],
  ["hold", "pg_advisory_lock("],
  ["pulse", "any_free"],
  ["look", "any_other"],
  ["record", "INSERT INTO @.runner"],
  ["forget", "DELETE FROM @.runner WHERE id"],
  ["sources", "WITH RECURSIVE"],
  ["others", "ORDER BY since, id"],
] as const;
const kindOf = (text: string) => KINDS.find(([, part]) => text.includes(part))?.[0] ?? text;

/** A process beside others on a database that answers as it is told. */
function stage({ isCompanion = true } = {}) {
  const calls: string[] = [];
  const asked: { kind: string; values: readonly Value[]; isDirect: boolean }[] = [];
  const answers: Record<string, readonly object[]> = {
    hold: [{ server: "run 1" }],
    pulse: [{ time: AT + 7, any_free: false, any_due: false }],
    look: [{ any_other: true, cut: [], any_due: false }],
    sources: [{ source: "theirs" }],
  };
  const fails = new Set<string>();
  const answer =
    (isDirect: boolean) =>
    async (text: string, values: readonly Value[] = []) => {
      const kind = kindOf(text);
      asked.push({ kind, values, isDirect });
      if (fails.has(kind)) throw new Error("gone");
      return (answers[kind] ?? []) as never;
    };
  const noted: unknown[][] = [];
  const clock = { now: () => AT, note: (...given) => void noted.push(given) } as StoreClock;
  const { log, lines } = keptLog();
  const companions = {
    due: () => calls.push("due"),
    notifyBusy: () => calls.push("notifyBusy"),
    back: () => calls.push("back"),
  };
  const store = { query: answer(false), sql: (text: string) => text } as unknown as Store;
  const runners = new Runners(store, clock, log, isCompanion ? companions : undefined);
  const kinds = () => asked.splice(0).map(({ kind }) => kind);
  const connect = () => runners.connected(answer(true), () => calls.push("end"));
  onTestFinished(() => runners.leave());
  return { runners, asked, kinds, answers, fails, calls, noted, lines, connect };
}

/** One that is registered and holds the lock. */
async function holding(terms?: Parameters<typeof stage>[0]) {
  const all = stage(terms);
  await all.runners.register(OWN);
  all.connect();
  await settled();
  all.kinds();
  all.calls.length = 0;
  return all;
}

describe("the record of a process", () => {
  it("is tried again with the next sign of life if it could not be written once the lock was held", async () => {
    const { runners, kinds, connect, fails, calls } = stage();
    await runners.register(OWN);
    fails.add("hold");
    connect();
    await settled();
    expect(kinds()).toEqual(["record", "hold"]);
    fails.clear();
    await pass(30_000);
    expect(kinds().filter((kind) => kind !== "look")).toEqual(["hold", "record", "pulse"]);
    expect(calls).toEqual(["notifyBusy"]);
  });

  it("is removed when it leaves, or ages if that fails, and nothing is done from then on", async () => {
    const { runners, asked, kinds, connect } = await holding();
    await runners.leave();
    expect(asked).toMatchObject([{ kind: "forget", values: ["own"] }]);
    expect(vi.getTimerCount()).toBe(0);
    kinds();
    connect();
    runners.disconnected();
    await runners.leave();
    await settled();
    expect(kinds()).toEqual([]);
    const unlucky = await holding();
    unlucky.fails.add("forget");
    await expect(unlucky.runners.leave()).resolves.toBeUndefined();
  });
});

describe("a sign of life", () => {
  it("is given every 30 seconds, on the connection that listens, with all that an idle process needs", async () => {
    const { asked, noted, calls, answers } = await holding();
    const pulses = () => asked.filter(({ kind }) => kind === "pulse");
    await pass(29_500);
    expect(pulses()).toEqual([]);
    await pass(500);
    const own = ["own", AT, "1", "run", '["a b"]', '["payment.*"]', "run 1"] as const;
    expect(pulses()).toMatchObject([{ isDirect: true, values: [...own, AT - 600_000, ["a b"]] }]);
    expect(noted).toEqual([[AT + 7, expect.any(Number)]]);
    expect(calls).toEqual([]);
    answers.pulse = [{ time: AT, any_free: false, any_due: true }]; // entries are due
    await pass(30_000);
    expect(calls).toEqual(["due"]);
  });

  it("is given without such a connection too", async () => {
    const { runners, asked } = stage();
    await runners.register(OWN);
    await pass(30_000);
    expect(asked).toMatchObject([{ kind: "record" }, { kind: "pulse", isDirect: false }]);
  });

  it("has this process look whether another one has died, if a lock is free", async () => {
    const { answers, kinds } = await holding();
    await pass(31_000); // it looked for half a minute after it began
    kinds();
    await pass(5000);
    expect(kinds()).toEqual([]);
    answers.pulse = [{ time: AT, any_free: true, any_due: false }];
    await pass(24_000);
    kinds();
    await pass(5000);
    expect(new Set(kinds())).toEqual(new Set(["look"]));
  });

  it("is waited for when the process leaves", async () => {
    const { runners, kinds } = await holding();
    vi.advanceTimersByTime(30_000);
    await runners.leave();
    expect(kinds().at(-1)).toBe("forget");
  });

  it("that fails ends the connection, and the next one that succeeds says once that the database is back", async () => {
    const { fails, calls } = await holding();
    fails.add("pulse");
    await pass(30_000);
    expect(calls).toEqual(["end"]);
    fails.clear();
    for (let times = 0; times < 2; times++) {
      await pass(30_000);
      expect(calls).toEqual(["end", "back"]);
    }
  });
});

describe("a connection that was lost", () => {
  it("is told to the others at once, and held again on the next one", async () => {
    const { runners, asked, calls, connect, kinds } = await holding();
    for (let times = 0; times < 2; times++) runners.disconnected(); // which is news only once
    await settled();
    expect(asked).toMatchObject([{ kind: "record" }]);
    expect(asked[0]?.values.at(-1)).toBeNull();
    kinds();
    connect();
    await settled();
    expect(kinds()).toEqual(["hold", "record"]);
    expect(calls).toEqual(["back", "notifyBusy"]);
    // it takes no other one for dead for the length of a lease
    await pass(14_500);
    expect(kinds()).toEqual([]);
    await pass(1000);
    expect(new Set(kinds())).toEqual(new Set(["look"]));
  });

  it("before it held the lock leaves the record as it is", async () => {
    const { runners, kinds, connect } = stage();
    await runners.register(OWN);
    const { promise: held, end: hold } = later();
    runners.connected(
      () => held,
      () => {},
    );
    await settled();
    runners.disconnected();
    hold([{ server: "run 0" }]);
    await settled();
    expect(kinds()).toEqual(["record"]);
    connect();
    await settled();
    expect(kinds()).toEqual(["hold", "record"]);
  });
});

describe("a look for dead processes", () => {
  const dead = "theirs 5";
  const looking = async () => {
    const all = await holding();
    all.answers.look = [{ any_other: true, cut: [dead], any_due: false }];
    all.answers["end leases"] = [{ seq: 1 }, { seq: 2 }];
    return all;
  };

  it("is taken twice a second for half a minute after another one said that it runs entries", async () => {
    const { runners, asked, kinds } = await holding();
    await pass(29_500);
    expect(kinds().filter((kind) => kind === "look")).toHaveLength(59);
    await pass(20_000);
    kinds();
    runners.othersBusy();
    await pass(1000);
    const look = { kind: "look", values: ["own", ["a b"], AT], isDirect: false };
    expect(asked).toEqual([look, look]);
  });

  it("also finds entries that are due, and is the last one if there is no other process", async () => {
    const { answers, calls, kinds } = await holding();
    answers.look = [{ any_other: false, cut: [], any_due: true }];
    await pass(5000);
    expect(kinds()).toEqual(["look"]);
    expect(calls).toEqual(["due"]);
  });

  it("ends the leases of one that looked dead for three seconds, says how many, and goes on", async () => {
    const { asked, kinds, calls, lines, answers } = await looking();
    await pass(3000);
    expect(new Set(kinds())).toEqual(new Set(["look"]));
    await pass(500);
    expect(asked.slice(1)).toMatchObject([
      { kind: "sources", isDirect: false },
      { kind: "end leases", values: [[dead], AT, ["theirs"]], isDirect: false },
    ]);
    expect(calls).toEqual(["due"]);
    expect(lines).toMatchObject([{ level: "info", fields: { entries: 2 } }]);
    kinds();
    answers["end leases"] = [];
    await pass(500);
    expect(kinds()).toEqual(["look", "sources", "end leases"]);
    expect(lines).toHaveLength(1); // it had none
    await pass(45_000);
    kinds();
    await pass(500);
    expect(kinds()[0]).toBe("look"); // as long as one looks dead
  });

  it("counts for each process by itself, from zero again for one that was alive meanwhile", async () => {
    const { answers, kinds, asked } = await looking();
    await pass(2000);
    answers.look = [{ any_other: true, cut: [], any_due: false }];
    await pass(500);
    answers.look = [{ any_other: true, cut: [dead], any_due: false }];
    await pass(1500);
    answers.look = [{ any_other: true, cut: ["another 1", dead], any_due: false }];
    await pass(1500);
    expect(kinds()).not.toContain("end leases");
    await pass(500);
    expect(asked.find(({ kind }) => kind === "end leases")?.values[0]).toEqual([dead]);
  });

  it("that fails is followed by the next", async () => {
    const { fails, kinds, calls } = await looking();
    fails.add("look");
    await pass(1000);
    expect(kinds()).toEqual(["look", "look"]);
    fails.clear();
    fails.add("end leases");
    await pass(4000);
    expect(calls).toEqual([]);
    fails.clear();
    await pass(500);
    expect(calls).toEqual(["due"]);
  });

  it("is not taken without a lock of its own", async () => {
    const { runners, kinds } = stage();
    await runners.register(OWN);
    runners.othersBusy();
    await pass(5000);
    expect(kinds()).toEqual(["record"]);
  });

  it("ends no lease if the connection was lost meanwhile, or the process leaves", async () => {
    for (const meanwhile of ["disconnected", "leave"] as const) {
      const { answers, runners, kinds } = await looking();
      await pass(3000);
      const { promise, end } = later();
      answers.look = promise as never;
      await pass(500);
      const ended = runners[meanwhile]();
      end([{ any_other: true, cut: [dead], any_due: false }]);
      await ended;
      await settled();
      expect(kinds()).not.toContain("end leases");
    }
  });
});
