import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Dispatcher } from "../../src/dispatch/dispatcher.ts";
import type { DispatcherOptions } from "../../src/dispatch/dispatcher-options.ts";
import type { EntryLetter } from "../../src/dispatch/handler.ts";
import { MAX_ASKED } from "../../src/dispatch/retry.ts";
import type { ClaimedEntry } from "../../src/inbox/claim.ts";
import type { Inbox } from "../../src/inbox/inbox.ts";
import { memoryInbox } from "../../src/inbox/memory.ts";
import type { Settlement } from "../../src/inbox/settlement.ts";
import { withoutTimers } from "../frozen-timers.ts";
import { keep, sampleDelivery, sampleEntry, sampleKey } from "../inbox/entries.ts";
import { gate, keptLog, planOf, QUICK } from "./sample.ts";

/** What most tests have in common; the rest is of each test. */
const OPTIONS: Omit<DispatcherOptions, "inbox" | "log"> = {
  runner: "0a",
  sources: ["service"],
  plan: planOf({ a: () => "ok" }),
  retry: QUICK,
  concurrency: 10,
  handlerTimeout: 1000,
  leaseTime: 1000,
  poll: 1000,
  deadBlocks: false,
  clock: () => Date.now(),
  random: () => 0,
  onAttempts: () => {},
  onDead: () => {},
};

describe("Dispatcher", () => {
  let inbox: Inbox;
  let dispatcher: Dispatcher | undefined;
  let log: ReturnType<typeof keptLog>;
  let dead: EntryLetter[];
  let settled: Settlement[];

  beforeEach(() => {
    inbox = memoryInbox();
    log = keptLog();
    dead = [];
    settled = [];
  });

  afterEach(async () => {
    await dispatcher?.stop(0);
    dispatcher = undefined;
  });

  const start = (options: Partial<DispatcherOptions>): Dispatcher => {
    dispatcher = new Dispatcher({
      ...OPTIONS,
      inbox,
      log,
      onAttempts: (_: ClaimedEntry, settlement) => void settled.push(settlement),
      onDead: (letter) => void dead.push(letter),
      ...options,
    });
    dispatcher.start();
    return dispatcher;
  };

  const add = async (number: number): Promise<number> => {
    const key = sampleKey({ eventId: `evt_${number}` });
    const delivery = sampleDelivery({ receivedAt: Date.now() });
    const { seq } = await keep(inbox, sampleEntry({ key, delivery }));
    dispatcher?.wake();
    return seq;
  };

  const states = async () => (await inbox.list({})).map(({ state }) => state);
  const until = (check: () => unknown) => vi.waitFor(check, { timeout: 5000, interval: 2 });
  const untilStates = (...wanted: string[]) =>
    until(async () => expect(await states()).toEqual(wanted));

  it("runs entries stored before it started", async () => {
    await add(1);
    start({});
    await untilStates("handled");
  });

  it("runs added entries when it is woken", async () => {
    start({});
    await add(1);
    await add(2);
    await untilStates("handled", "handled");
    expect(settled).toHaveLength(2);
  });

  it("runs 50 handlers at once without a warning of Node's about listeners", async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => void warnings.push(warning);
    process.on("warning", onWarning);
    const { opened, open } = gate();
    try {
      for (let number = 0; number < 50; number++) await add(number);
      const running = start({ concurrency: 50, plan: planOf({ a: () => opened }) });
      await until(() => expect(running.running).toBe(50));
      open();
      await until(async () => expect(new Set(await states())).toEqual(new Set(["handled"])));
      expect(warnings).toEqual([]);
    } finally {
      open();
      process.off("warning", onWarning);
    }
  });

  it("finds entries that another process made due by polling", async () => {
    const running = start({ poll: 5 });
    await until(() => expect(running.running).toBe(0));
    await keep(inbox, sampleEntry({ delivery: sampleDelivery({ receivedAt: Date.now() }) }));
    await untilStates("handled");
  });

  it("does nothing if woken before it is started or after it is stopped", async () => {
    const stopped = start({});
    await stopped.stop(0);
    await add(1);
    stopped.wake();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await states()).toEqual(["waiting"]);
  });

  it("[case 79] retries until the attempts are exhausted, then reports the dead letter once", async () => {
    const attempts: number[] = [];
    const plan = planOf({
      a: (_, { attempt }) => {
        attempts.push(attempt);
        throw new Error(`failure ${attempt}`);
      },
    });
    start({ plan });
    const seq = await add(1);
    await untilStates("dead");
    expect(attempts).toEqual([1, 2, 3]);
    const letter = { seq, eventId: "evt_1", kind: "payment.received", problems: [] };
    const delivery = await inbox.delivery(seq);
    expect(dead).toEqual([
      { ...letter, reason: "attempts_exhausted", error: "failure 3", delivery },
    ]);
    expect(settled.map(({ state }) => state)).toEqual(["failing", "failing", "dead"]);
    expect((await inbox.attempts(seq)).map(({ outcome }) => outcome)).toEqual([
      "error",
      "error",
      "error",
    ]);
  });

  it("[case 77] does not run a finished handler again if another one fails", async () => {
    const runs = { good: 0, bad: 0 };
    const plan = planOf({
      good: () => void runs.good++,
      bad: () => {
        runs.bad++;
        if (runs.bad < 3) throw new Error("not yet");
      },
    });
    start({ plan });
    await add(1);
    await untilStates("handled");
    expect(runs).toEqual({ good: 1, bad: 3 });
  });

  it("runs as many entries at a time as allowed, never more", async () => {
    let now = 0;
    let most = 0;
    const plan = planOf({
      a: async () => {
        most = Math.max(most, ++now);
        await new Promise((resolve) => setTimeout(resolve, 3));
        now--;
      },
    });
    for (let number = 0; number < 12; number++) await add(number);
    const running = start({ plan, concurrency: 3 });
    for (let number = 12; number < 20; number++) await add(number);
    await untilStates(...Array.from({ length: 20 }, () => "handled"));
    expect(most).toBe(3);
    await until(() => expect(running.running).toBe(0));
  });

  it("[case 76] ends an entry as dead without running it if its claims exceed its attempts", async () => {
    const seq = await add(1);
    // Three processes died while running it.
    for (let attempt = 1; attempt <= 3; attempt++)
      await inbox.claim({ now: Date.now(), limit: 1, leaseTime: 0 });
    let ran = 0;
    start({ plan: planOf({ a: () => void ran++ }) });
    await untilStates("dead");
    expect(ran).toBe(0);
    const letter = { seq, eventId: "evt_1", kind: "payment.received", problems: [] };
    const delivery = await inbox.delivery(seq);
    expect(dead).toEqual([{ ...letter, reason: "attempts_exhausted", error: null, delivery }]);
  });

  it("does not report an entry as a dead letter if it succeeds or has no handler", async () => {
    start({ plan: async () => ({ end: "received", reason: "no_handler" }) });
    await add(1);
    await untilStates("received");
    expect(dead).toEqual([]);
  });

  it("renews the lease while a handler takes longer than it", async () => {
    let ran = 0;
    const long = gate();
    const plan = planOf({
      a: () => {
        ran++;
        return long.opened;
      },
    });
    start({ plan, leaseTime: 30, poll: 5 });
    await add(1);
    const [before] = await inbox.list({});
    await until(async () => {
      const [entry] = await inbox.list({});
      expect((entry?.runAt ?? 0) - (before?.receivedAt ?? 0)).toBeGreaterThan(90);
    });
    long.open();
    await untilStates("handled");
    expect(ran).toBe(1);
  });

  it("[case 75] gets its completion refused if another process took over the lease", async () => {
    const late = gate();
    const plan = planOf({ a: () => late.opened });
    const running = start({ plan });
    await add(1);
    await until(() => expect(running.running).toBe(1));
    const [thief] = await inbox.claim({ now: Date.now() + 10_000, limit: 1, leaseTime: 60_000 });
    expect(thief).toMatchObject({ attempts: 2 });
    late.open();
    await until(() => expect(running.running).toBe(0));
    expect(await states()).toEqual(["running"]);
    expect(settled).toEqual([]);
    expect(log.lines).toMatchObject([{ level: "warn", fields: { seq: 1 } }]);
  });

  it("[case 75] does not run an entry twice at a time if its handler blocks the process past its lease", async () => {
    let ran = 0;
    const plan = planOf({
      a: async () => {
        ran++;
        for (let turn = 0; turn < 3; turn++) {
          const until = performance.now() + 40;
          while (performance.now() < until);
          await new Promise((resolve) => setTimeout(resolve, 1));
        }
      },
    });
    start({ plan, leaseTime: 15, poll: 1 });
    await add(1);
    await untilStates("handled");
    expect(ran).toBe(1);
    expect(await inbox.list({})).toMatchObject([{ attempts: 1 }]);
  });

  it("[case 65] runs waiting entries if the clock was set back far, and never with a negative delay", async () => {
    let now = Date.now() + 1000; // a fixed time, ahead so that entries added a moment later are due
    let failing = true;
    const plan = planOf({
      a: () => {
        if (failing) throw new Error("not yet");
      },
    });
    const retry = { ...QUICK, attempts: 1000, delay: 5, maxDelay: 50 };
    start({ plan, retry, clock: () => now, poll: 5 });
    await add(1);
    await until(() => expect(settled).toHaveLength(1));
    failing = false;
    now -= 86_400_000;
    await untilStates("handled");
  });

  it("[case 65] does not run an entry twice at a time if the clock is set back while it runs", async () => {
    let now = Date.now() + 1000;
    let ran = 0;
    const long = gate();
    const plan = planOf({
      a: ({ id }, { seq }) => {
        expect(id).toBeDefined();
        if (seq > 1) return undefined;
        ran++;
        return long.opened;
      },
    });
    // A lease long enough not to be renewed within the test.
    start({ plan, clock: () => now, leaseTime: 60_000, poll: 5 });
    await add(1);
    await until(() => expect(ran).toBe(1));
    now -= 86_400_000;
    await add(2);
    await untilStates("running", "handled");
    expect(ran).toBe(1);
    long.open();
    await untilStates("handled", "handled");
    expect(await inbox.list({})).toMatchObject([{ attempts: 1 }, { attempts: 1 }]);
  });

  it("[case 65] does not take another process's longer lease for a clock that was set back", async () => {
    const seq = await add(1);
    // A minute more than the longest wait between attempts, which is the furthest ahead a due time
    // may be.
    await inbox.claim({ now: Date.now(), limit: 1, leaseTime: MAX_ASKED + 60_000 });
    const ran: number[] = [];
    start({ plan: planOf({ a: (_, context) => void ran.push(context.seq) }), poll: 5 });
    await add(2);
    await untilStates("running", "handled");
    expect(ran).not.toContain(seq);
    expect(await inbox.list({ seq })).toMatchObject([{ attempts: 1 }]);
  });

  it("reports no attempt while an entry only waits for a process with a handler", async () => {
    let has = false;
    const done = planOf({ a: () => "ok" });
    start({ plan: async () => (has ? done() : { wait: 5, reason: "no_handler" }), poll: 5 });
    await add(1);
    await until(async () => expect(await inbox.list({})).toMatchObject([{ reason: "no_handler" }]));
    expect(settled).toEqual([]);
    has = true;
    await untilStates("handled");
    expect(settled).toHaveLength(1);
    expect(await inbox.list({})).toMatchObject([{ attempts: 1, reason: null }]);
  });

  it("waits as long as a handler asks, without taking that for a clock that was set back", async () => {
    const asked = 540_000;
    const plan = planOf({
      a: () => Promise.reject(Object.assign(new Error("busy"), { retryAfter: asked })),
    });
    start({ plan, leaseTime: 1000, poll: 5 });
    await add(1);
    await until(() => expect(settled).toHaveLength(1));
    await new Promise((resolve) => setTimeout(resolve, 40));
    const [entry] = await inbox.list({});
    expect(entry).toMatchObject({ state: "failing", attempts: 1 });
    expect(entry?.runAt).toBeGreaterThan(Date.now() + asked - 60_000);
  });

  describe("runNow", () => {
    const addHeld = async (number: number, parts: object = {}) => {
      const key = sampleKey({ eventId: `evt_${number}` });
      const receivedAt = Date.now();
      const delivery = sampleDelivery({ receivedAt });
      return (
        await keep(inbox, sampleEntry({ key, delivery, runAt: receivedAt + 60_000, ...parts }))
      ).seq;
    };

    it("runs an entry that is not due, and returns the result", async () => {
      const running = start({});
      const seq = await addHeld(1);
      expect(await running.runNow(seq)).toMatchObject({
        state: "handled",
        records: [{ outcome: "ok" }],
      });
      expect(settled).toHaveLength(1);
    });

    it("runs it even if the concurrency limit is reached", async () => {
      const slow = gate();
      let ran = 0;
      const plan = planOf({ a: () => (ran++ === 0 ? slow.opened : "ok") });
      const running = start({ plan, concurrency: 1, handlerTimeout: 60_000 });
      await add(1);
      await until(() => expect(running.running).toBe(1));
      expect(await running.runNow(await addHeld(2))).toMatchObject({ state: "handled" });
      slow.open();
    });

    it("waits for a run in progress instead of starting another, for any number of callers", async () => {
      const slow = gate();
      let ran = 0;
      const plan = planOf({
        a: () => {
          ran++;
          return slow.opened;
        },
      });
      const running = start({ plan });
      const seq = await add(1);
      await until(() => expect(ran).toBe(1));
      const asked = [running.runNow(seq), running.runNow(seq), running.runNow(seq)];
      slow.open();
      expect(await Promise.all(asked)).toMatchObject([
        { state: "handled" },
        { state: "handled" },
        { state: "handled" },
      ]);
      expect(ran).toBe(1);
    });

    it("runs an entry again if its last run only stores its result, which the caller may have seen", async () => {
      let ran = 0;
      const plan = planOf({ a: () => (ran++ === 0 ? Promise.reject(new Error("no")) : "ok") });
      const retry = { ...QUICK, delay: 60_000, maxDelay: 60_000 };
      const stored = gate();
      const seen = gate();
      const settle = inbox.settle.bind(inbox);
      vi.spyOn(inbox, "settle").mockImplementationOnce(async (...given) => {
        const result = await settle(...given);
        stored.open();
        await seen.opened;
        return result;
      });
      const running = start({ plan, retry });
      const seq = await add(1);
      await stored.opened;
      const asked = running.runNow(seq);
      seen.open();
      expect(await asked).toMatchObject({
        state: "handled",
        records: [{ attempt: 2, outcome: "ok" }],
      });
    });

    it("returns the result that its last run only stores if the entry has ended with it", async () => {
      const seen = gate();
      const settle = inbox.settle.bind(inbox);
      const storing = vi.spyOn(inbox, "settle").mockImplementationOnce(async (...given) => {
        await seen.opened;
        return settle(...given);
      });
      const running = start({});
      const seq = await add(1);
      await until(() => expect(storing).toHaveBeenCalled());
      const asked = running.runNow(seq);
      seen.open();
      expect(await asked).toMatchObject({ state: "handled", records: [{ attempt: 1 }] });
    });

    it("starts one run for concurrent calls", async () => {
      let ran = 0;
      const running = start({ plan: planOf({ a: () => void ran++ }) });
      const seq = await addHeld(1);
      const asked = await Promise.all([
        running.runNow(seq),
        running.runNow(seq),
        running.runNow(seq),
      ]);
      expect(ran).toBe(1);
      expect(asked.filter((settlement) => settlement?.state === "handled").length).toBeGreaterThan(
        0,
      );
    });

    it("returns undefined for an entry that has ended, is leased elsewhere, or is held back", async () => {
      const running = start({});
      const ended = await add(1);
      await untilStates("handled");
      const leased = await addHeld(2);
      await inbox.claim({ now: Date.now(), limit: 1, leaseTime: 60_000, only: leased });
      await addHeld(3, { orderKey: "prop_1" });
      const second = await addHeld(4, { orderKey: "prop_1" });
      for (const seq of [ended, leased, second, 99])
        expect(await running.runNow(seq)).toBeUndefined();
    });

    it("runs nothing before the start or after the stop", async () => {
      const running = start({});
      await running.stop(0);
      expect(await running.runNow(await addHeld(1))).toBeUndefined();
      expect(await states()).toEqual(["waiting"]);
    });

    it("runs no entry of another source", async () => {
      const running = start({ sources: ["service"] });
      const seq = await addHeld(1, { key: sampleKey({ source: "other" }) });
      expect(await running.runNow(seq)).toBeUndefined();
      expect(await states()).toEqual(["waiting"]);
    });

    it("claims the entry under the terms of its dispatcher", async () => {
      const running = start({ runner: "0b", leaseTime: 4321, deadBlocks: true });
      const seq = await addHeld(1);
      const claim = vi.spyOn(inbox, "claim");
      await running.runNow(seq);
      const terms = {
        leaseTime: 4321,
        deadBlocks: true,
        sources: ["service"],
        runner: "0b",
        only: seq,
      };
      expect(claim).toHaveBeenCalledWith(expect.objectContaining(terms));
    });

    it("rejects if the entry cannot be claimed, and leaves it unchanged", async () => {
      const running = start({});
      const seq = await addHeld(1);
      await until(() => expect(running.running).toBe(0));
      vi.spyOn(inbox, "claim").mockRejectedValueOnce(new Error("locked"));
      await expect(running.runNow(seq)).rejects.toThrow("locked");
      expect(await running.runNow(seq)).toMatchObject({ state: "handled" });
    });

    it("leaves no entry leased if the dispatcher is stopped during the claim", async () => {
      const running = start({ plan: planOf({ a: () => new Promise(() => {}) }) });
      const seq = await addHeld(1);
      await until(() => expect(running.running).toBe(0));
      const claim = inbox.claim.bind(inbox);
      vi.spyOn(inbox, "claim").mockImplementationOnce(async (request) => {
        const entries = await claim(request);
        await new Promise((resolve) => setTimeout(resolve, 30));
        return entries;
      });
      const asked = running.runNow(seq);
      await until(async () => expect(await states()).toEqual(["running"]));
      await running.stop(0);
      expect(await states()).toEqual(["waiting"]);
      expect(await asked).toMatchObject({ state: "waiting" });
    });
  });

  describe("reserve", () => {
    /**
     * Starts a dispatcher and waits for its first poll, after which it knows whether other entries
     * wait.
     */
    const startIdle = async (options: Partial<DispatcherOptions> = {}) => {
      const looked = vi.spyOn(inbox, "nextRunAt");
      const running = start(options);
      await until(() => expect(looked).toHaveBeenCalled());
      await new Promise((resolve) => setTimeout(resolve, 5));
      return running;
    };

    const keepIn = async (running: Dispatcher, eventId: string) => {
      const reservation = running.reserve();
      const key = sampleKey({ eventId });
      const delivery = sampleDelivery({ receivedAt: Date.now() });
      const { seq, leased } = await keep(
        inbox,
        sampleEntry({ key, delivery, lease: reservation?.lease }),
      );
      if (leased === true)
        reservation?.run({ seq, key, kind: "payment.received", orderKey: null, delivery });
      if (reservation?.release() !== true) running.wake();
      return { seq, leased: leased === true };
    };

    it("runs an entry inserted with a lease, without a claim", async () => {
      const running = await startIdle();
      const claim = vi.spyOn(inbox, "claim");
      const kept = await Promise.all(["evt_1", "evt_2", "evt_3"].map((id) => keepIn(running, id)));
      expect(kept.map(({ leased }) => leased)).toEqual([true, true, true]);
      await untilStates("handled", "handled", "handled");
      expect(settled).toMatchObject([
        { records: [{ attempt: 1 }], finishedHandlers: ["a"] },
        {},
        {},
      ]);
      expect(claim).not.toHaveBeenCalled();
      expect(running.running).toBe(0);
    });

    it("does not run it before the turn of the event loop in which it was inserted is over", async () => {
      const ran = vi.fn();
      const running = await startIdle({ plan: planOf({ a: ran }) });
      await keepIn(running, "evt_1");
      for (let tick = 0; tick < 100; tick++) await Promise.resolve();
      expect(ran).not.toHaveBeenCalled();
      await untilStates("handled");
    });

    it("retries it like any other entry if it fails", async () => {
      let ran = 0;
      const plan = planOf({
        a: () => {
          if (++ran === 1) throw new Error("not yet");
        },
      });
      const running = await startIdle({ plan, poll: 60_000 });
      await keepIn(running, "evt_1");
      await untilStates("handled");
      expect(settled.map(({ state }) => state)).toEqual(["failing", "handled"]);
    });

    it("reserves no more than the free slots, and reuses released ones", async () => {
      const running = await startIdle({ concurrency: 2 });
      const reservations = [running.reserve(), running.reserve(), running.reserve()];
      expect(reservations.map((reservation) => reservation !== undefined)).toEqual([
        true,
        true,
        false,
      ]);
      expect(reservations[0]?.release()).toBe(false);
      expect(running.reserve()).toBeDefined();
    });

    it("continues with entries that waited for a slot once it is released", async () => {
      const running = await startIdle({ concurrency: 1, poll: 60_000 });
      const reservation = running.reserve();
      await add(1);
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(await states()).toEqual(["waiting"]);
      reservation?.release();
      await untilStates("handled");
    });

    it("reserves nothing before the start or after the stop", async () => {
      const running = await startIdle();
      await running.stop(0);
      expect(running.reserve()).toBeUndefined();
    });

    it("returns no reservation before the first claim has shown whether others wait", async () => {
      const claim = gate();
      vi.spyOn(inbox, "claim").mockImplementationOnce(() => claim.opened.then(() => []));
      const running = start({});
      expect(running.reserve()).toBeUndefined();
      claim.open();
      await until(() => {
        const reservation = running.reserve();
        reservation?.release();
        expect(reservation).toBeDefined();
      });
    });

    it.each([
      ["will be due in a minute", 60_000],
      ["will be due in a moment", 50],
    ])("returns a reservation while the only other entry %s", async (_, wait) => {
      const now = Date.now();
      const delivery = sampleDelivery({ receivedAt: now });
      await keep(inbox, sampleEntry({ delivery, runAt: now + wait }));
      const running = await startIdle({ clock: () => now });
      expect(running.reserve()).toBeDefined();
      expect(await states()).toEqual(["waiting"]);
    });

    it("runs an entry again, by a claim, if the result of its first run was refused", async () => {
      let ran = 0;
      const running = await startIdle({
        plan: planOf({ a: () => void ran++ }),
        leaseTime: 60,
        poll: 60_000,
      });
      vi.spyOn(inbox, "settle").mockResolvedValueOnce(false);
      await keepIn(running, "evt_1");
      await untilStates("handled");
      expect(ran).toBe(2);
      expect(log.lines).toEqual([{ level: "warn", fields: { seq: 1 } }]);
    });

    it("leaves entries that the inbox stores without a lease to claims", async () => {
      const running = await startIdle();
      const append = inbox.append.bind(inbox);
      vi.spyOn(inbox, "append").mockImplementation(({ lease: _, ...entry }) => append(entry));
      expect(await keepIn(running, "evt_1")).toMatchObject({ leased: false });
      await untilStates("handled");
    });

    it("reserves nothing while a due entry that was passed over has waited for long", async () => {
      const slow = gate();
      const plan = async ({ key }: ClaimedEntry) =>
        planOf({ a: () => (key.eventId === "evt_slow" ? slow.opened : undefined) })();
      const running = await startIdle({ plan, concurrency: 1, handlerTimeout: 60_000 });
      const hasRoom = () => {
        const reservation = running.reserve();
        reservation?.release();
        return reservation !== undefined;
      };
      // so that runs are known to be fast
      for (let number = 0; number < 50; number++) await keepIn(running, `evt_a${number}`);
      await until(async () =>
        expect(await inbox.counts()).toMatchObject({ handled: 50, running: 0 }),
      );
      await keepIn(running, "evt_slow");
      await until(() => expect(running.running).toBe(1));
      expect(hasRoom()).toBe(true);
      // Another process died while running this one: it is not claimed ahead, since that could cost
      // it another attempt.
      const ago = Date.now() - 200;
      await keep(inbox, sampleEntry({ delivery: sampleDelivery({ receivedAt: ago }) }));
      await inbox.claim({ now: ago, limit: 1, leaseTime: 0 });
      running.wake();
      await until(() => expect(hasRoom()).toBe(false));
      slow.open();
      await until(async () =>
        expect(await inbox.counts()).toMatchObject({ handled: 52, running: 0 }),
      );
      await until(() => expect(hasRoom()).toBe(true));
    });

    it("[case 80] starts entries just inserted when the dispatcher is stopped, and releases those that do not end", async () => {
      const ran = vi.fn(() => new Promise(() => {}));
      const running = await startIdle({ plan: planOf({ a: ran }) });
      await keepIn(running, "evt_1");
      await running.stop(0);
      expect(ran).toHaveBeenCalledOnce();
      expect(await inbox.list({})).toMatchObject([{ state: "waiting", attempts: 0 }]);
    });
  });

  describe("stop", () => {
    it("[case 80] waits for running entries, and claims no others", async () => {
      const slow = gate();
      const running = start({ plan: planOf({ a: () => slow.opened }), concurrency: 1 });
      await add(1);
      await add(2);
      await until(() => expect(running.running).toBe(1));
      const stopped = running.stop(5000);
      slow.open();
      await stopped;
      expect(running.running).toBe(0);
      expect(await states()).toEqual(["handled", "waiting"]);
    });

    it("[case 80] aborts the remaining runs after the grace period, and does not count the attempt", async () => {
      let signal: AbortSignal | undefined;
      const plan = planOf({
        a: (_, context) => {
          signal = context.signal;
          return new Promise(() => {}); // ignores the signal
        },
      });
      const running = start({ plan });
      await add(1);
      await until(() => expect(running.running).toBe(1));
      await until(() => expect(signal).toBeDefined());
      await running.stop(5);
      expect(signal?.aborted).toBe(true);
      expect(signal?.reason).toMatchObject({ name: "HookporterError", code: "closed" });
      expect(running.running).toBe(0);
      const [entry] = await inbox.list({});
      expect(entry).toMatchObject({ state: "waiting", attempts: 0 });
      expect(entry?.runAt).toBeLessThanOrEqual(Date.now());
      expect(dead).toEqual([]);
    });

    it("releases entries claimed ahead but not started, without counting the attempt", async () => {
      const slow = gate();
      const ran: string[] = [];
      let isSlow = false;
      let slowOnes = 0;
      const plan = planOf({
        a: async ({ id }) => {
          ran.push(id);
          isSlow ||= (await inbox.counts()).running > 10;
          if (!isSlow) return;
          slowOnes++;
          await slow.opened;
        },
      });
      for (let number = 1; number <= 200; number++) await add(number);
      const running = start({ plan, concurrency: 2 });
      await until(() => expect(slowOnes).toBe(2));
      expect((await inbox.counts()).running).toBeGreaterThan(5);
      const stopped = running.stop(5000);
      slow.open();
      await stopped;
      expect(await inbox.list({ states: ["waiting", "failing"] })).toHaveLength(200 - ran.length);
      const attempts = (await inbox.list({})).map(({ state, attempts: count }) =>
        state === "handled" ? 1 - count : count,
      );
      expect(new Set(attempts)).toEqual(new Set([0]));
      expect(settled).toHaveLength(ran.length);
    });

    it("resolves at once if nothing runs, however long the grace period", async () => {
      const running = start({});
      await withoutTimers(() => running.stop(60_000));
    });

    it("can be called twice", async () => {
      const running = start({});
      await running.stop(0);
      await running.stop(0);
    });

    it("leaves no timer", async () => {
      vi.useFakeTimers();
      try {
        const running = start({});
        await vi.advanceTimersByTimeAsync(10);
        expect(vi.getTimerCount()).toBeGreaterThan(0);
        const stopped = running.stop(1000);
        await vi.advanceTimersByTimeAsync(0);
        await stopped;
        expect(vi.getTimerCount()).toBe(0);
      } finally {
        vi.useRealTimers();
      }
    });
  });

  describe("claiming", () => {
    const pause = () => new Promise((resolve) => setTimeout(resolve, 30));

    it("claims nothing before it is started", async () => {
      const claim = vi.spyOn(inbox, "claim");
      const idle = new Dispatcher({ ...OPTIONS, inbox, log });
      idle.wake();
      expect(idle.reserve()).toBeUndefined();
      expect(await idle.runNow(await add(1))).toBeUndefined();
      expect(claim).not.toHaveBeenCalled();
    });

    it("makes one claim at a time, and one more for all wakes during it", async () => {
      const first = gate();
      const claim = vi
        .spyOn(inbox, "claim")
        .mockImplementationOnce(() => first.opened.then(() => []));
      const running = start({ poll: 60_000 });
      for (let wakes = 0; wakes < 10; wakes++) running.wake();
      await pause();
      expect(claim).toHaveBeenCalledTimes(1);
      first.open();
      await until(() => expect(claim).toHaveBeenCalledTimes(2));
      await pause();
      expect(claim).toHaveBeenCalledTimes(2);
    });

    it("claims nothing while there is no room", async () => {
      const slow = gate();
      const running = start({
        plan: planOf({ a: () => slow.opened }),
        concurrency: 1,
        poll: 60_000,
      });
      await add(1);
      await until(() => expect(running.running).toBe(1));
      const claim = vi.spyOn(inbox, "claim");
      await add(2);
      await pause();
      expect(claim).not.toHaveBeenCalled();
      slow.open();
      await untilStates("handled", "handled");
    });

    it("claims the next entry of an order key as soon as the one before it has ended", async () => {
      const key = (eventId: string) => sampleKey({ eventId });
      const delivery = sampleDelivery({ receivedAt: Date.now() });
      for (const id of ["evt_1", "evt_2", "evt_3"])
        await keep(inbox, sampleEntry({ key: key(id), delivery, orderKey: "prop_1" }));
      const slow = gate();
      const plan = planOf({ a: () => slow.opened });
      const running = start({ plan, leaseTime: 60_000, poll: 60_000 });
      await until(() => expect(running.running).toBe(1));
      await pause();
      slow.open();
      await untilStates("handled", "handled", "handled");
    });

    it.each([
      ["is not due yet", { runAt: Date.now() + 600_000 }],
      ["is of another source", { key: sampleKey({ source: "other" }) }],
    ])("waits for the next poll while the only entry %s", async (_, parts) => {
      const delivery = sampleDelivery({ receivedAt: Date.now() });
      await keep(inbox, sampleEntry({ delivery, ...parts }));
      const claim = vi.spyOn(inbox, "claim");
      start({ poll: 60_000 });
      await pause();
      expect(claim.mock.calls.length).toBeLessThan(3);
      expect(await states()).toEqual(["waiting"]);
    });

    it("waits even if the poll interval is longer than the longest timer", async () => {
      const claim = vi.spyOn(inbox, "claim");
      start({ poll: Number.MAX_SAFE_INTEGER });
      await pause();
      expect(claim.mock.calls.length).toBeLessThan(3);
    });

    it("leaves no timer behind if it is stopped during a claim", async () => {
      vi.useFakeTimers();
      try {
        const claim = gate();
        vi.spyOn(inbox, "claim").mockImplementationOnce(() => claim.opened.then(() => []));
        const stopped = start({}).stop(1000);
        claim.open();
        await vi.advanceTimersByTimeAsync(0);
        await stopped;
        expect(vi.getTimerCount()).toBe(0);
      } finally {
        vi.useRealTimers();
      }
    });
  });

  it("renews leases after a third of their time, and not before", async () => {
    vi.useFakeTimers();
    try {
      const slow = gate();
      const renew = vi.spyOn(inbox, "renew");
      const running = start({
        plan: planOf({ a: () => slow.opened }),
        leaseTime: 3000,
        handlerTimeout: 60_000,
      });
      await add(1);
      await vi.advanceTimersByTimeAsync(990);
      expect(running.running).toBe(1);
      expect(renew).not.toHaveBeenCalled();
      await vi.advanceTimersByTimeAsync(20);
      expect(renew).toHaveBeenCalledOnce();
      slow.open();
      await vi.advanceTimersByTimeAsync(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it("names the error of the handler that failed, even if another ended well after it", async () => {
    const plan = planOf({ bad: () => Promise.reject(new Error("no")), good: () => "ok" });
    start({ plan, retry: { ...QUICK, attempts: 1 } });
    await add(1);
    await untilStates("dead");
    await until(() => expect(dead).toMatchObject([{ reason: "attempts_exhausted", error: "no" }]));
  });

  describe("if the inbox or a listener fails", () => {
    it("claims again after a failed claim", async () => {
      const claim = vi.spyOn(inbox, "claim").mockRejectedValueOnce(new Error("locked"));
      await add(1);
      start({ poll: 5 });
      await untilStates("handled");
      expect(claim.mock.calls.length).toBeGreaterThan(1);
      expect(log.lines).toMatchObject([{ level: "error" }]);
    });

    it("[case 67] a result that could not be stored is stored later, and the entry does not run again", async () => {
      const renew = inbox.renew.bind(inbox);
      const settle = inbox.settle.bind(inbox);
      // The clock goes on with each renewal, and the store fails for longer than a lease lasts:
      // only renewal keeps the entry from being claimed again.
      let now = Date.now() + 1000;
      let renewals = 0; // ahead of the entry, which is then due
      vi.spyOn(inbox, "renew").mockImplementation(async (...given) => {
        const lost = await renew(...given);
        now += 400;
        renewals++;
        return lost;
      });
      vi.spyOn(inbox, "settle").mockImplementation((...given) =>
        renewals < 4 ? Promise.reject(new Error("disk full")) : settle(...given),
      );
      let ran = 0;
      await add(1);
      start({ plan: planOf({ a: () => void ran++ }), leaseTime: 600, poll: 5, clock: () => now });
      await untilStates("handled");
      expect(ran).toBe(1);
      expect(settled).toHaveLength(1);
      expect(log.lines).toEqual([]);
    });

    it("[case 67] a result that cannot be stored while the lease is valid is discarded, and the entry runs again", async () => {
      const settle = vi.spyOn(inbox, "settle").mockRejectedValue(new Error("disk full"));
      const renew = vi.spyOn(inbox, "renew").mockRejectedValue(new Error("disk full"));
      let ran = 0;
      await add(1);
      start({ plan: planOf({ a: () => void ran++ }), leaseTime: 60, poll: 5 });
      await until(() => expect(ran).toBeGreaterThan(1));
      for (const fields of [{ seq: 1, error: "disk full" }, { error: "disk full" }]) {
        await until(() => expect(log.lines).toContainEqual({ level: "error", fields }));
      }
      settle.mockRestore();
      renew.mockRestore();
      await untilStates("handled");
    });

    it("a result that cannot be stored does not keep a dispatcher from stopping", async () => {
      vi.spyOn(inbox, "settle").mockRejectedValue(new Error("disk full"));
      await add(1);
      const running = start({ leaseTime: 60_000 });
      await until(() => expect(inbox.settle).toHaveBeenCalled());
      await running.stop(0);
      expect(await states()).toEqual(["running"]);
    });

    it("a claim that fails repeatedly is reported once", async () => {
      const claim = vi.spyOn(inbox, "claim").mockRejectedValue(new Error("locked"));
      await add(1);
      start({ poll: 1 });
      await until(() => expect(claim.mock.calls.length).toBeGreaterThan(5));
      expect(log.lines).toHaveLength(1);
    });

    it("an entry that cannot be read becomes a dead letter, and is reported once", async () => {
      const claim = inbox.claim.bind(inbox);
      vi.spyOn(inbox, "claim").mockImplementation(async (request) =>
        (await claim(request)).map((entry) => ({ ...entry, unreadable: "a page is damaged" })),
      );
      let ran = 0;
      await add(1);
      start({ plan: planOf({ a: () => void ran++ }) });
      await untilStates("dead");
      await until(() =>
        expect(dead).toMatchObject([{ reason: "unreadable", error: "a page is damaged" }]),
      );
      expect(ran).toBe(0);
      expect(log.lines).toMatchObject([
        { level: "error", fields: { seq: 1, error: "a page is damaged" } },
      ]);
    });

    it("continues if leases cannot be renewed", async () => {
      vi.spyOn(inbox, "renew").mockRejectedValue(new Error("locked"));
      const slow = gate();
      start({ plan: planOf({ a: () => slow.opened }), leaseTime: 30 });
      await add(1);
      await until(() => expect(log.lines.length).toBeGreaterThan(0));
      slow.open();
      await untilStates("handled");
    });

    it("[case 78] reports a dead letter even if the other listener throws", async () => {
      const onAttempts = () => {
        throw new Error("listener");
      };
      start({ onAttempts, plan: async () => ({ end: "dead", reason: "invalid_data" }) });
      await add(1);
      await untilStates("dead");
      await until(() => expect(log.lines).toHaveLength(1));
      expect(dead).toHaveLength(1);
    });

    it("[case 78] continues if a listener throws", async () => {
      const broken = () => {
        throw new Error("listener");
      };
      start({ onAttempts: broken, onDead: broken });
      await add(1);
      await untilStates("handled");
      await until(() =>
        expect(log.lines).toEqual([{ level: "error", fields: { seq: 1, error: "listener" } }]),
      );
      await add(2);
      await untilStates("handled", "handled");
    });
  });
});
