import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { MAX_ASKED } from "../../src/base/options/retry.ts";
import type { Handler } from "../../src/entries/index.ts";
import type { Inbox } from "../../src/inbox/inbox.ts";
import { withoutTimers } from "../frozen-timers.ts";
import { gate, until } from "../receiver/sample.ts";
import { openRuns, QUICK, sharedInbox, storedEntry } from "./open.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

let inbox: Inbox;

beforeEach(() => {
  inbox = sharedInbox();
});

/** Longer than some polls. */
const aWhile = () => new Promise((resolve) => setTimeout(resolve, 30));

const add = async (number: number, parts?: Parameters<typeof storedEntry>[1]) =>
  (await inbox.append(storedEntry(number, parts)))?.seq ?? 0;

const addAll = async (count: number) => {
  for (let number = 1; number <= count; number++) await add(number);
};

/** Starts a receiver, and waits until it knows that no other entries wait. */
async function openIdle(...[handlers, options]: Parameters<typeof openRuns>) {
  const looked = vi.spyOn(inbox, "nextRunAt");
  const opened = await openRuns(handlers, options, inbox);
  await until(() => expect(looked).toHaveBeenCalled());
  await new Promise((resolve) => setTimeout(resolve, 5));
  return opened;
}

const untilHandled = (count: number) =>
  until(async () => {
    const { handled, running } = await inbox.counts();
    expect([handled, running]).toEqual([count, 0]);
  });

describe("a receiver", () => {
  it("runs 50 handlers at once without a warning of Node's about listeners", async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => void warnings.push(warning);
    process.on("warning", onWarning);
    const held = gate();
    try {
      await addAll(50);
      await openRuns({ a: () => held.opened }, { concurrency: 50 }, inbox);
      await until(async () => expect(await inbox.counts()).toMatchObject({ running: 50 }));
      held.open();
      await untilHandled(50);
      expect(warnings).toEqual([]);
    } finally {
      process.off("warning", onWarning);
    }
  });

  it("runs as many entries at a time as allowed, never more", async () => {
    let now = 0;
    let most = 0;
    const a = async () => {
      most = Math.max(most, ++now);
      await new Promise((resolve) => setTimeout(resolve, 3));
      now--;
    };
    await addAll(12);
    const { deliver } = await openRuns({ a }, { concurrency: 3 }, inbox);
    for (let number = 13; number <= 20; number++) await deliver(number);
    await untilHandled(20);
    expect(most).toBe(3);
  });

  it("finds entries that another process made due by polling", async () => {
    await openIdle({ a: () => "ok" });
    await add(1);
    await untilHandled(1);
  });

  it("makes one claim at a time, and one more for all deliveries during it", async () => {
    const first = gate();
    const held = gate();
    const claim = vi
      .spyOn(inbox, "claim")
      .mockImplementationOnce(() => first.opened.then(() => []));
    const { deliver } = await openRuns({ a: () => held.opened }, { poll: MINUTE }, inbox);
    for (let number = 1; number <= 10; number++) await deliver(number);
    await aWhile();
    expect(claim).toHaveBeenCalledTimes(1);
    first.open();
    await until(async () => expect(await inbox.counts()).toMatchObject({ running: 10 }));
    await aWhile();
    expect(claim).toHaveBeenCalledTimes(2);
    held.open();
    await untilHandled(10);
  });

  it("claims nothing while there is no room", async () => {
    const slow = gate();
    const { deliver, states } = await openIdle(
      { a: () => slow.opened },
      { concurrency: 1, poll: MINUTE },
    );
    await deliver(1);
    await until(async () => expect(await states()).toEqual(["running"]));
    const claim = vi.spyOn(inbox, "claim");
    await deliver(2);
    await aWhile();
    expect(claim).not.toHaveBeenCalled();
    slow.open();
    await untilHandled(2);
  });

  it.each([
    ["is not due yet", { runAt: Date.now() + 10 * MINUTE }],
    ["is of another source", { source: "other" }],
  ])("waits for the next poll while the only entry %s", async (_, parts) => {
    await add(1, parts);
    const claim = vi.spyOn(inbox, "claim");
    const { states } = await openRuns({ a: () => "ok" }, { poll: MINUTE }, inbox);
    await aWhile();
    expect(claim.mock.calls.length).toBeLessThan(3);
    expect(await states()).toEqual(["waiting"]);
  });

  it("waits as long as a handler asks, without taking that for a clock that was set back", async () => {
    const asked = 9 * MINUTE;
    const a = () => Promise.reject(Object.assign(new Error("busy"), { retryAfter: asked }));
    const { deliver, attempts, entry } = await openRuns({ a }, { lease: 1000 }, inbox);
    await deliver(1);
    await until(() => expect(attempts()).toHaveLength(1));
    await aWhile();
    expect(await entry()).toMatchObject({ state: "failing", attempts: 1 });
    expect((await entry()).runAt).toBeGreaterThan(Date.now() + asked - MINUTE);
  });

  it("[case 75] does not run an entry twice at a time if its handler blocks the process past its lease", async () => {
    let ran = 0;
    const a = async () => {
      ran++;
      for (let turn = 0; turn < 3; turn++) {
        const end = performance.now() + 40;
        while (performance.now() < end);
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    };
    const { deliver, entry } = await openRuns({ a }, { lease: 15, poll: 1 }, inbox);
    await deliver(1);
    await untilHandled(1);
    expect(ran).toBe(1);
    expect(await entry()).toMatchObject({ attempts: 1 });
  });
});

describe("[case 65] after its clock was set back, a receiver", () => {
  it("runs waiting entries", async () => {
    let now = Date.now() + 1000; // a fixed time, ahead so that entries added a moment later are due
    let failing = true;
    const a = () => (failing ? Promise.reject(new Error("not yet")) : "ok");
    const retry = { ...QUICK, attempts: 1000, delay: 5, maxDelay: 50 };
    const { attempts } = await openRuns({ a }, { retry, clock: () => now }, inbox);
    await add(1);
    await until(() => expect(attempts()).toHaveLength(1));
    failing = false;
    now -= DAY;
    await untilHandled(1);
  });

  it("does not run an entry twice at a time", async () => {
    let now = Date.now() + 1000;
    const long = gate();
    const ran = vi.fn(() => long.opened);
    const a: Handler = (_, { seq }) => (seq === 1 ? ran() : "ok");
    // A lease long enough not to be renewed within the test.
    const { states, entries } = await openRuns({ a }, { clock: () => now, lease: MINUTE }, inbox);
    await add(1);
    await until(() => expect(ran).toHaveBeenCalled());
    now -= DAY;
    await add(2);
    await until(async () => expect(await states()).toEqual(["running", "handled"]));
    long.open();
    await untilHandled(2);
    expect(ran).toHaveBeenCalledOnce();
    expect(await entries()).toMatchObject([{ attempts: 1 }, { attempts: 1 }]);
  });

  it("does not take another process's longer lease for its own", async () => {
    const seq = await add(1);
    // A minute more than the longest wait between attempts, which is the furthest ahead a due time
    // may be.
    await inbox.claim({ now: Date.now(), limit: 1, leaseTime: MAX_ASKED + MINUTE });
    const ran: number[] = [];
    const { states, entries } = await openRuns(
      { a: (_, context) => void ran.push(context.seq) },
      {},
      inbox,
    );
    await add(2);
    await until(async () => expect(await states()).toEqual(["running", "handled"]));
    expect(ran).not.toContain(seq);
    expect(await entries()).toMatchObject([{ attempts: 1 }, {}]);
  });
});

describe("an accepted event", () => {
  it.each([
    ["nothing else waits", undefined],
    ["another entry will be due in a minute", MINUTE],
    ["another entry will be due in a moment", 50],
  ])("is kept with a lease, and runs without a claim, if %s", async (_, wait) => {
    const now = Date.now() + 1000;
    if (wait !== undefined) await add(100, { at: now, runAt: now + wait });
    const { deliver, attempts } = await openIdle({ a: () => "ok" }, { clock: () => now });
    const claim = vi.spyOn(inbox, "claim");
    for (const number of [1, 2, 3]) await deliver(number);
    await untilHandled(3);
    expect(claim).not.toHaveBeenCalled();
    expect(attempts()).toMatchObject([1, 1, 1].map((attempt) => ({ records: [{ attempt }] })));
  });

  it("does not run before the turn of the event loop in which it was kept is over", async () => {
    const ran = vi.fn();
    const { deliver } = await openIdle({ a: () => ran() });
    await deliver(1);
    for (let tick = 0; tick < 100; tick++) await Promise.resolve();
    expect(ran).not.toHaveBeenCalled();
    await untilHandled(1);
  });

  it("is left to a claim if the inbox keeps it without a lease", async () => {
    const append = inbox.append.bind(inbox);
    vi.spyOn(inbox, "append").mockImplementation(({ lease: _, ...entry }) => append(entry));
    const { deliver } = await openIdle({ a: () => "ok" });
    await deliver(1);
    await untilHandled(1);
  });

  it("is kept without a lease before the first claim has shown whether others wait", async () => {
    const first = gate();
    vi.spyOn(inbox, "claim").mockImplementationOnce(() => first.opened.then(() => []));
    const { deliver, states } = await openRuns({ a: () => "ok" }, {}, inbox);
    await deliver(1);
    await aWhile();
    expect(await states()).toEqual(["waiting"]);
    first.open();
    await untilHandled(1);
  });

  it("that is not kept gives its room to those that wait", async () => {
    const held = gate();
    const { deliver } = await openIdle({ a: () => "ok" }, { concurrency: 1, poll: MINUTE });
    const append = inbox.append.bind(inbox);
    const appending = vi
      .spyOn(inbox, "append")
      .mockImplementationOnce(() => held.opened.then(() => Promise.reject(new Error("full"))));
    const refused = deliver(1);
    await until(() => expect(appending).toHaveBeenCalled());
    appending.mockImplementation(append);
    await deliver(2);
    await aWhile();
    expect(await inbox.counts()).toMatchObject({ waiting: 1, handled: 0 });
    held.open();
    expect(await refused).toMatchObject({ type: "unavailable" });
    await untilHandled(1);
  });

  it("is kept without a lease while a due entry that was passed over has waited for long", async () => {
    const slow = gate();
    const a: Handler = ({ data }) => (data.number === 51 ? slow.opened : undefined);
    const { deliver } = await openIdle({ a }, { concurrency: 1, handlerTimeout: MINUTE });
    const append = vi.spyOn(inbox, "append");
    let number = 0;
    const isLeased = async () => {
      await deliver(++number);
      return append.mock.lastCall?.[0].lease !== undefined;
    };
    // so that runs are known to be fast
    while (number < 50) await isLeased();
    await untilHandled(50);
    expect(await isLeased()).toBe(true); // the slow one
    expect(await isLeased()).toBe(true);
    // Another process died while running this one: it is not claimed ahead, since that could cost
    // it another attempt.
    const ago = Date.now() - 200;
    const left = await add(100, { at: ago });
    await inbox.claim({ now: ago, limit: 1, leaseTime: 0, only: left });
    await until(async () => expect(await isLeased()).toBe(false));
    slow.open();
    await untilHandled(number + 1);
    await until(async () => expect(await isLeased()).toBe(true));
  });

  it("[case 80] that has just been kept begins when the receiver closes, and is given back if it does not end", async () => {
    const ran = vi.fn(() => new Promise(() => {}));
    const { receiver, deliver } = await openIdle({ a: ran });
    await deliver(1);
    await receiver.close();
    expect(ran).toHaveBeenCalledOnce();
    expect(await inbox.list({})).toMatchObject([{ state: "waiting", attempts: 0 }]);
  });
});

describe("a receiver that closes", () => {
  it("gives back entries that were claimed ahead but not started, without counting the attempt", async () => {
    const slow = gate();
    let isSlow = false;
    let slowOnes = 0;
    let ran = 0;
    const a = async () => {
      ran++;
      isSlow ||= (await inbox.counts()).running > 10;
      if (!isSlow) return;
      slowOnes++;
      await slow.opened;
    };
    await addAll(200);
    const { receiver, attempts } = await openRuns(
      { a },
      { concurrency: 2, drainTimeout: 5000 },
      inbox,
    );
    await until(() => expect(slowOnes).toBe(2));
    expect((await inbox.counts()).running).toBeGreaterThan(5);
    const closing = receiver.close();
    slow.open();
    await closing;
    const entries = await inbox.list({});
    const left = entries.filter(({ state }) => state === "waiting");
    expect(left).toHaveLength(200 - ran);
    expect(new Set(left.map((entry) => entry.attempts))).toEqual(new Set([0]));
    expect(attempts()).toHaveLength(ran);
  });

  it("ends at once if nothing runs, however long it would wait", async () => {
    const { receiver } = await openRuns({ a: () => "ok" }, { drainTimeout: MINUTE }, inbox);
    await withoutTimers(() => receiver.close());
  });

  it("ends even if a result cannot be stored", async () => {
    const settle = vi.spyOn(inbox, "settle").mockRejectedValue(new Error("disk full"));
    const { receiver, deliver, states } = await openRuns(
      { a: () => "ok" },
      { lease: MINUTE },
      inbox,
    );
    await deliver(1);
    await until(() => expect(settle).toHaveBeenCalled());
    await receiver.close();
    expect(await states()).toEqual(["running"]);
  });

  it("has run what a claim that was under way brought", async () => {
    const claimed = gate();
    const claim = inbox.claim.bind(inbox);
    vi.spyOn(inbox, "claim").mockImplementationOnce(async (request) => {
      await claimed.opened;
      return await claim(request);
    });
    const settle = vi.spyOn(inbox, "settle");
    await inbox.append(storedEntry(1));
    const { receiver, states } = await openRuns({ a: () => "ok" }, { drainTimeout: 1000 }, inbox);
    await until(() => expect(inbox.claim).toHaveBeenCalled());
    const closing = receiver.close();
    setTimeout(claimed.open, 20);
    await closing;
    expect(settle).toHaveBeenCalledOnce();
    expect(await states()).toEqual(["handled"]);
  });

  describe("leaves no timer", () => {
    beforeEach(() => void vi.useFakeTimers());
    afterEach(() => void vi.useRealTimers());

    it("behind", async () => {
      const { receiver } = await openRuns({ a: () => "ok" }, { drainTimeout: 1000 }, inbox);
      await vi.advanceTimersByTimeAsync(10);
      expect(vi.getTimerCount()).toBeGreaterThan(0);
      const closing = receiver.close();
      await vi.advanceTimersByTimeAsync(0);
      await closing;
      expect(vi.getTimerCount()).toBe(0);
    });

    it("behind, even if it closes during a claim", async () => {
      const claim = gate();
      vi.spyOn(inbox, "claim").mockImplementationOnce(() => claim.opened.then(() => []));
      const { receiver } = await openRuns({ a: () => "ok" }, { drainTimeout: 1000 }, inbox);
      const closing = receiver.close();
      claim.open();
      await vi.advanceTimersByTimeAsync(0);
      await closing;
      expect(vi.getTimerCount()).toBe(0);
    });
  });
});

describe("a claim that fails", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("is tried again, and is logged if it is another failure, once a minute, and after one that succeeded", async () => {
    const claim = inbox.claim.bind(inbox);
    let failure = "locked";
    vi.spyOn(inbox, "claim").mockImplementation((request) =>
      failure === "" ? claim(request) : Promise.reject(new Error(failure)),
    );
    await add(1);
    const { lines } = await openRuns({ a: () => "ok" }, { poll: 1000 }, inbox);
    const errorsAfter = async (ms: number) => {
      await vi.advanceTimersByTimeAsync(ms);
      return lines.splice(0).map(({ fields }) => (fields as { error: string }).error);
    };
    expect(await errorsAfter(59_000)).toEqual(["locked"]);
    expect(await errorsAfter(2000)).toEqual(["locked"]);
    failure = "disk full";
    expect(await errorsAfter(5000)).toEqual(["disk full"]);
    failure = "";
    await errorsAfter(5000);
    expect(await inbox.counts()).toMatchObject({ handled: 1 });
    failure = "disk full";
    await add(2);
    expect(await errorsAfter(5000)).toEqual(["disk full"]);
  });
});
