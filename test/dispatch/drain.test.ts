import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Dispatcher } from "../../src/dispatch/dispatcher.ts";
import type { DispatcherOptions } from "../../src/dispatch/dispatcher-options.ts";
import { LATE } from "../../src/dispatch/runs/time-limits.ts";
import type { Handler } from "../../src/entries/index.ts";
import type { Inbox } from "../../src/inbox/inbox.ts";
import { memoryInbox } from "../../src/inbox/memory.ts";
import { keep, sampleDelivery, sampleEntry, sampleKey } from "../inbox/entries.ts";
import { gate, keptLog, planOf } from "./sample.ts";

/**
 * A budget that handlers fit in, but only just: 800 ms to start, and 100 ms each for claims and
 * results.
 */
const BUDGET = 1000;
const NOTHING = {
  waiting: 0,
  failing: 0,
  handled: 0,
  dead: 0,
  received: 0,
  returned: 0,
  nextRunAt: undefined,
};

describe("a drain", () => {
  let inbox: Inbox;
  let log: ReturnType<typeof keptLog>;
  let dispatcher: Dispatcher;
  let ran: number[];

  beforeEach(() => {
    vi.useFakeTimers({
      toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance", "Date"],
    });
    inbox = memoryInbox();
    log = keptLog();
    ran = [];
  });

  afterEach(async () => {
    await dispatcher.stop(0);
    vi.useRealTimers();
  });

  const open = (handlers: Record<string, Handler>, options: Partial<DispatcherOptions> = {}) => {
    dispatcher = new Dispatcher({
      runner: "0a",
      sources: ["service"],
      plan: planOf(handlers),
      retry: { attempts: 3, delay: 5000, factor: 1, maxDelay: 5000, jitter: 0 },
      concurrency: 2,
      handlerTimeout: 800,
      leaseTime: 300,
      poll: 1000,
      deadBlocks: false,
      clock: () => Date.now(),
      random: () => 0,
      onAttempts: ({ seq }) => void ran.push(seq),
      onDead: () => {},
      inbox,
      log,
      ...options,
    });
    return dispatcher;
  };

  const add = async (number: number, parts: object = {}) => {
    const key = sampleKey({ eventId: `evt_${number}` });
    const delivery = sampleDelivery({ receivedAt: Date.now() });
    return keep(inbox, sampleEntry({ key, delivery, ...parts }));
  };

  const entries = async () =>
    (await inbox.list({})).map(({ state, attempts, finishedHandlers }) => ({
      state,
      attempts,
      finishedHandlers,
    }));

  it("of nothing returns at once, and leaves no timer", async () => {
    const report = await open({ a: () => "ok" }).drain(BUDGET);
    expect(report).toEqual(NOTHING);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("runs all that is due, no more at a time than the concurrency, and says what became of it", async () => {
    let most = 0;
    let now = 0;
    const handler: Handler = async (_, { seq }) => {
      most = Math.max(most, ++now);
      await Promise.resolve();
      now--;
      if (seq === 3) throw new Error("no");
    };
    open({ a: handler });
    for (let number = 1; number <= 5; number++) await add(number);
    const report = await dispatcher.drain(BUDGET);
    expect(report).toEqual({ ...NOTHING, handled: 4, failing: 1, nextRunAt: Date.now() + 5000 });
    expect(most).toBe(2);
    expect(ran.sort()).toEqual([1, 2, 3, 4, 5]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("counts dead letters and entries without a handler", async () => {
    open({}, { plan: () => ({ end: "received", reason: "no_handler" }) });
    await add(1);
    expect(await dispatcher.drain(BUDGET)).toEqual({ ...NOTHING, received: 1 });
    open({}, { plan: () => ({ end: "dead", reason: "invalid_data" }) });
    await add(2);
    expect(await dispatcher.drain(BUDGET)).toEqual({ ...NOTHING, dead: 1 });
  });

  it("runs entries of one order key one after another", async () => {
    const order: number[] = [];
    open({ a: (_, { seq }) => void order.push(seq) });
    for (const number of [1, 2, 3]) await add(number, { orderKey: "k" });
    expect(await dispatcher.drain(BUDGET)).toMatchObject({ handled: 3 });
    expect(order).toEqual([1, 2, 3]);
  });

  it("starts no entry whose handlers may not end in time, and says that it is due", async () => {
    const took = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
    open({ a: () => took(150) });
    for (const number of [1, 2, 3]) await add(number);
    const start = Date.now();
    const draining = dispatcher.drain(BUDGET);
    await vi.advanceTimersByTimeAsync(150);
    expect(await draining).toEqual({ ...NOTHING, handled: 2, nextRunAt: start });
    expect(await entries()).toMatchObject([{}, {}, { state: "waiting", attempts: 0 }]);
  });

  it("gives an entry back uncounted if its second handler does not fit, and goes on with it next time", async () => {
    const second = vi.fn();
    open({ first: () => new Promise((resolve) => setTimeout(resolve, 150)), second });
    await add(1);
    const start = Date.now();
    const draining = dispatcher.drain(BUDGET);
    await vi.advanceTimersByTimeAsync(150);
    expect(await draining).toEqual({ ...NOTHING, returned: 1, nextRunAt: start + 150 });
    expect(await entries()).toEqual([
      { state: "waiting", attempts: 0, finishedHandlers: ["first"] },
    ]);
    expect(await dispatcher.drain(BUDGET)).toEqual({ ...NOTHING, handled: 1 });
    expect(second).toHaveBeenCalledOnce();
  });

  it("counts the attempt if the first handler failed and the second does not fit", async () => {
    const fail = () => new Promise((_, reject) => setTimeout(() => reject(new Error("no")), 150));
    open({ first: fail, second: () => "ok" });
    await add(1);
    const draining = dispatcher.drain(BUDGET);
    await vi.advanceTimersByTimeAsync(150);
    expect(await draining).toMatchObject({ failing: 1, nextRunAt: Date.now() + 5000 });
    expect(await entries()).toMatchObject([{ state: "failing", attempts: 1 }]);
  });

  it("ends a handler at its time limit, as a failed attempt", async () => {
    open({ a: () => new Promise(() => {}) });
    await add(1);
    const draining = dispatcher.drain(BUDGET);
    await vi.advanceTimersByTimeAsync(800 + LATE);
    expect(await draining).toMatchObject({ failing: 1 });
    expect((await inbox.attempts(1))[0]).toMatchObject({ outcome: "timeout" });
    expect(vi.getTimerCount()).toBe(0);
  });

  it("has ended every handler before its time is over, however late it started", async () => {
    const stopped = vi.fn();
    const handlers = planOf({
      a: (_, { signal }) => new Promise(() => signal.addEventListener("abort", stopped)),
    });
    const plan = async () => {
      await new Promise((resolve) => setTimeout(resolve, 100));
      return handlers();
    };
    open({}, { plan });
    await add(1);
    const draining = dispatcher.drain(BUDGET);
    await vi.advanceTimersByTimeAsync(899);
    expect(stopped).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(stopped).toHaveBeenCalledOnce();
    await draining;
  });

  it("renews its leases while handlers run", async () => {
    const renew = vi.spyOn(inbox, "renew");
    open({ a: () => new Promise((resolve) => setTimeout(resolve, 750)) });
    await add(1);
    const draining = dispatcher.drain(BUDGET);
    await vi.advanceTimersByTimeAsync(750);
    expect(await draining).toMatchObject({ handled: 1 });
    expect(renew.mock.calls.length).toBe(7);
  });

  it.each([[799], [999], [1]])(
    "is refused if its %d ms leave a handler no time",
    async (budgetMs) => {
      await expect(open({ a: () => "ok" }).drain(budgetMs)).rejects.toMatchObject({
        code: "option_invalid",
        message: expect.stringContaining("at least 1000 ms"),
      });
      expect(vi.getTimerCount()).toBe(0);
    },
  );

  it("rejects if the store fails, after the entries that run have ended", async () => {
    const held = gate();
    open({ a: () => held.opened }, { concurrency: 1 });
    await add(1);
    const claim = vi.spyOn(inbox, "claim");
    const draining = dispatcher.drain(BUDGET);
    // Not by `waitFor`, which moves the timers on for as long as a busy machine takes.
    while (claim.mock.calls.length === 0) await new Promise(setImmediate);
    claim.mockRejectedValue(new Error("disk full"));
    held.open();
    await expect(draining).rejects.toThrow("disk full");
    expect(await entries()).toMatchObject([{ state: "handled" }]);
    expect(log.lines).toMatchObject([{ level: "error" }]);
    claim.mockRestore();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("resolves when its time is over even if the store does not answer", async () => {
    open({ a: () => "ok" });
    await add(1);
    const settle = vi.spyOn(inbox, "settle").mockReturnValue(new Promise(() => {}));
    const draining = dispatcher.drain(BUDGET);
    await vi.advanceTimersByTimeAsync(BUDGET);
    expect(await draining).toEqual({ ...NOTHING, nextRunAt: Date.now() });
    expect(log.lines).toMatchObject([{ level: "warn" }]);
    expect(vi.getTimerCount()).toBe(0);
    settle.mockRestore();
    dispatcher = open({});
  });

  it("runs each entry once beside others and beside a loop", async () => {
    open({ a: async () => "ok" });
    for (let number = 1; number <= 20; number++) await add(number);
    dispatcher.start();
    const reports = await Promise.all([dispatcher.drain(BUDGET), dispatcher.drain(BUDGET)]);
    await vi.waitFor(async () =>
      expect((await entries()).every(({ state }) => state === "handled")).toBe(true),
    );
    expect(ran.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
    expect(reports.every(({ handled }) => handled <= 20)).toBe(true);
  });

  it("waits for room that others use", async () => {
    const held = gate();
    open({ a: (_, { seq }) => (seq <= 2 ? held.opened : "ok") });
    await add(1);
    await add(2);
    const first = dispatcher.drain(BUDGET);
    await vi.advanceTimersByTimeAsync(1);
    await add(3);
    const second = dispatcher.drain(BUDGET);
    await vi.advanceTimersByTimeAsync(10);
    held.open();
    const reports = await Promise.all([first, second]);
    expect(reports[0].handled + reports[1].handled).toBe(3);
  });

  it("does not wait for room that is reserved for an entry about to be kept", async () => {
    open({ a: () => "ok" }, { concurrency: 1 });
    dispatcher.start();
    await vi.waitFor(() => expect(dispatcher.reserve()).toBeDefined());
    // In a loop without an end, time passes as it looks at the clock.
    let looks = 0;
    const now = vi.spyOn(performance, "now").mockImplementation(() => looks++);
    const report = await dispatcher.drain(BUDGET);
    now.mockRestore();
    expect(report).toEqual(NOTHING);
    expect(looks).toBeLessThan(20);
  });

  it("resolves when its time is over even if the store does not say what is due next", async () => {
    open({ a: () => "ok" });
    await add(1);
    const nextRunAt = vi.spyOn(inbox, "nextRunAt").mockReturnValue(new Promise(() => {}));
    const ended = vi.fn();
    void dispatcher.drain(BUDGET).then(ended);
    await vi.advanceTimersByTimeAsync(BUDGET);
    nextRunAt.mockRestore();
    dispatcher = open({});
    expect(ended).toHaveBeenCalledWith({ ...NOTHING, handled: 1, nextRunAt: Date.now() });
    expect(vi.getTimerCount()).toBe(0);
  });

  it("is ended by stop(), which aborts its handlers after the grace period and gives their entries back", async () => {
    open({
      a: (_, { signal }) =>
        new Promise((_resolve, reject) =>
          signal.addEventListener("abort", () => reject(signal.reason)),
        ),
    });
    for (const number of [1, 2, 3]) await add(number);
    const draining = dispatcher.drain(BUDGET);
    await vi.advanceTimersByTimeAsync(1);
    const stopping = dispatcher.stop(50);
    await vi.advanceTimersByTimeAsync(50);
    await stopping;
    expect(await draining).toMatchObject({ handled: 0, returned: 2 });
    expect(await entries()).toMatchObject([
      { state: "waiting", attempts: 0 },
      { state: "waiting", attempts: 0 },
      { state: "waiting", attempts: 0 },
    ]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("retries an entry whose target is away by its own back-off, and leaves no timer", async () => {
    const away = Object.assign(new Error("refused"), { away: true });
    const handler = () => Promise.reject(away);
    const run = [{ name: "send", handler, target: { name: "books" } }];
    const { plan } = { plan: async () => ({ run, event: async () => ({}) as never }) };
    open({}, { plan });
    await add(1);
    await add(2);
    expect(await dispatcher.drain(BUDGET)).toMatchObject({
      failing: 2,
      nextRunAt: Date.now() + 5000,
    });
    expect(vi.getTimerCount()).toBe(0);
  });
});
