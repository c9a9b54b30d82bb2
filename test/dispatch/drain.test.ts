import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LATE } from "../../src/dispatch/attempts/time-limits.ts";
import type { Handler, Receiver, ReceiverOptions } from "../../src/entries/index.ts";
import { NOTHING } from "../receiver/open.ts";
import { deliveryOf, gate, until } from "../receiver/sample.ts";
import { makeRuns, sharedInbox, storedEntry } from "./open.ts";

/**
 * A budget that handlers fit in, but only just: 800 ms to start, and 100 ms each for claims and
 * results.
 */
const BUDGET = { budget: 1000 };
/** A handler that takes this many milliseconds. */
const taking = (ms: number) => () => new Promise((resolve) => setTimeout(resolve, ms));

/** A handler that ends when it is told to. */
const untilAborted: Handler = (_, { signal }) =>
  new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
  });

describe("a drain", () => {
  let inbox: ReturnType<typeof sharedInbox>;
  let receiver: Receiver;
  let ran: number[];
  let lines: { level: string }[];

  beforeEach(() => {
    vi.useFakeTimers({
      toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance", "Date"],
    });
    inbox = sharedInbox();
    ran = [];
  });

  afterEach(async () => {
    await receiver.close();
    vi.useRealTimers();
  });

  const open = (
    handlers: Parameters<typeof makeRuns>[0],
    options: Partial<ReceiverOptions> = {},
  ) => {
    const retry = { attempts: 3, delay: 5000, factor: 1, maxDelay: 5000, jitter: 0 };
    const terms = { retry, concurrency: 2, handlerTimeout: 800, lease: 300, poll: 1000 };
    const made = makeRuns(handlers, { ...terms, ...options }, inbox);
    receiver = made.receiver;
    lines = made.lines;
    receiver.observe((observed) => {
      if (observed.type === "attempt") ran.push(observed.seq);
    });
    return receiver;
  };

  const add = async (...numbers: number[]) => {
    for (const number of numbers) await inbox.append(storedEntry(number));
  };

  const entries = async () =>
    (await inbox.list({})).map(({ state, attempts, finishedHandlers }) => ({
      state,
      attempts,
      finishedHandlers,
    }));

  it("of nothing returns at once, and leaves no timer", async () => {
    expect(await open({ a: () => "ok" }).drain(BUDGET)).toEqual(NOTHING);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("runs all that is due, no more at a time than the concurrency, and says what became of it", async () => {
    let most = 0;
    let now = 0;
    open({
      a: async (_, { seq }) => {
        most = Math.max(most, ++now);
        await Promise.resolve();
        now--;
        if (seq === 3) throw new Error("no");
      },
    });
    await add(1, 2, 3, 4, 5);
    const report = await receiver.drain(BUDGET);
    expect(report).toEqual({ ...NOTHING, handled: 4, failing: 1, nextRunAt: Date.now() + 5000 });
    expect(most).toBe(2);
    expect(ran.sort()).toEqual([1, 2, 3, 4, 5]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("counts dead letters and entries without a handler", async () => {
    open({}, { handlers: { "lead.created": () => {} } });
    await add(1);
    await inbox.append(storedEntry(2, { delivery: deliveryOf("no JSON") }));
    expect(await receiver.drain(BUDGET)).toEqual({ ...NOTHING, received: 1, dead: 1 });
  });

  it("runs entries of one order key one after another", async () => {
    const order: number[] = [];
    open({ a: (_, { seq }) => void order.push(seq) });
    for (const number of [1, 2, 3]) await inbox.append(storedEntry(number, { orderKey: "k" }));
    expect(await receiver.drain(BUDGET)).toMatchObject({ handled: 3 });
    expect(order).toEqual([1, 2, 3]);
  });

  it("starts no entry whose handlers may not end in time, and says that it is due", async () => {
    open({ a: taking(150) });
    await add(1, 2, 3);
    const start = Date.now();
    const draining = receiver.drain(BUDGET);
    await vi.advanceTimersByTimeAsync(150);
    expect(await draining).toEqual({ ...NOTHING, handled: 2, nextRunAt: start });
    expect(await entries()).toMatchObject([{}, {}, { state: "waiting", attempts: 0 }]);
  });

  it.each([
    [9000, 2],
    [9001, 1],
  ])(
    "keeps a second for results: after %d of 40 000 ms, with a limit of 30 000, it has run %d",
    async (ms, handled) => {
      open(
        { a: (_, { seq }) => (seq === 1 ? taking(ms)() : "ok") },
        {
          handlerTimeout: 30_000,
          concurrency: 1,
        },
      );
      await add(1, 2);
      const draining = receiver.drain({ budget: 40_000 });
      await vi.advanceTimersByTimeAsync(ms);
      expect(await draining).toMatchObject({ handled });
    },
  );

  it("gives an entry back uncounted if its second handler does not fit, and goes on with it next time", async () => {
    const second = vi.fn();
    open({ first: taking(150), second: () => second() });
    await add(1);
    const start = Date.now();
    const draining = receiver.drain(BUDGET);
    await vi.advanceTimersByTimeAsync(150);
    expect(await draining).toEqual({ ...NOTHING, returned: 1, nextRunAt: start + 150 });
    expect(await entries()).toEqual([
      { state: "waiting", attempts: 0, finishedHandlers: ["first"] },
    ]);
    expect(await receiver.drain(BUDGET)).toEqual({ ...NOTHING, handled: 1 });
    expect(second).toHaveBeenCalledOnce();
  });

  it("counts the attempt if the first handler failed and the second does not fit", async () => {
    const fail = () => taking(150)().then(() => Promise.reject(new Error("no")));
    open({ first: fail, second: () => "ok" });
    await add(1);
    const draining = receiver.drain(BUDGET);
    await vi.advanceTimersByTimeAsync(150);
    expect(await draining).toMatchObject({ failing: 1, nextRunAt: Date.now() + 5000 });
    expect(await entries()).toMatchObject([{ state: "failing", attempts: 1 }]);
  });

  it("ends a handler at its time limit, as a failed attempt", async () => {
    open({ a: () => new Promise(() => {}) });
    await add(1);
    const draining = receiver.drain(BUDGET);
    await vi.advanceTimersByTimeAsync(800 + LATE);
    expect(await draining).toMatchObject({ failing: 1 });
    expect((await inbox.attempts(1))[0]).toMatchObject({ outcome: "timeout" });
    expect(vi.getTimerCount()).toBe(0);
  });

  it("has ended every handler before its time is over, however late it started", async () => {
    const stopped = vi.fn();
    const validate = async (value: unknown) => {
      await taking(100)();
      return { value };
    };
    const schema = { "~standard": { version: 1, vendor: "test", validate } };
    const handler: Handler = (_, { signal }) =>
      new Promise(() => signal.addEventListener("abort", () => stopped(signal.reason)));
    open({ a: handler }, { schemas: { "payment.received": schema } as never });
    await add(1);
    const draining = receiver.drain(BUDGET);
    await vi.advanceTimersByTimeAsync(899);
    expect(stopped).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(stopped).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: "closed" }));
    await draining;
  });

  it("renews its leases while handlers run", async () => {
    const renew = vi.spyOn(inbox, "renew");
    open({ a: taking(750) });
    await add(1);
    const draining = receiver.drain(BUDGET);
    await vi.advanceTimersByTimeAsync(750);
    expect(await draining).toMatchObject({ handled: 1 });
    expect(renew.mock.calls.length).toBe(7);
  });

  it.each([
    [999, 800, 1000],
    [1, 800, 1000],
    [100, 81, 102],
    [31_999, 30_000, 32_000],
  ])(
    "is refused if its %d ms leave a handler with a limit of %d ms no time",
    async (budget, handlerTimeout, least) => {
      await expect(open({}, { handlerTimeout }).drain({ budget })).rejects.toMatchObject({
        code: "option_invalid",
        message: expect.stringContaining(`at least ${least} ms`),
      });
      expect(vi.getTimerCount()).toBe(0);
      expect(await receiver.drain({ budget: least })).toEqual(NOTHING);
    },
  );

  it("rejects if the store fails, after the entries that run have ended", async () => {
    const held = gate();
    open({ a: () => held.opened }, { concurrency: 1 });
    await add(1);
    const claim = vi.spyOn(inbox, "claim");
    const draining = receiver.drain(BUDGET);
    // Not by `waitFor`, which moves the timers on for as long as a busy machine takes.
    while (claim.mock.calls.length === 0) await new Promise(setImmediate);
    claim.mockRejectedValue(new Error("disk full"));
    held.open();
    await expect(draining).rejects.toThrow("disk full");
    expect(await entries()).toMatchObject([{ state: "handled" }]);
    expect(lines).toMatchObject([{ level: "error" }, { level: "error" }]);
    claim.mockRestore();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("resolves when its time is over even if the store does not store a result", async () => {
    const held = gate();
    open({ a: () => "ok" });
    await add(1);
    vi.spyOn(inbox, "settle").mockImplementation(() => held.opened.then(() => true));
    const draining = receiver.drain(BUDGET);
    await vi.advanceTimersByTimeAsync(BUDGET.budget);
    expect(await draining).toEqual({ ...NOTHING, nextRunAt: Date.now() });
    expect(lines).toMatchObject([{ level: "warn" }]);
    expect(vi.getTimerCount()).toBe(0);
    held.open();
  });

  it("resolves when its time is over even if the store does not say what is due next", async () => {
    const held = gate();
    open({ a: () => "ok" });
    await add(1);
    vi.spyOn(inbox, "nextRunAt").mockReturnValue(held.opened.then(() => undefined));
    const ended = vi.fn();
    void receiver.drain(BUDGET).then(ended);
    await vi.advanceTimersByTimeAsync(BUDGET.budget);
    expect(ended).toHaveBeenCalledWith({ ...NOTHING, handled: 1, nextRunAt: Date.now() });
    expect(vi.getTimerCount()).toBe(0);
    held.open();
  });

  it("runs each entry once beside others and beside a loop", async () => {
    open({ a: async () => "ok" });
    const numbers = Array.from({ length: 20 }, (_, index) => index + 1);
    await add(...numbers);
    await receiver.start();
    const reports = await Promise.all([receiver.drain(BUDGET), receiver.drain(BUDGET)]);
    await until(async () =>
      expect((await entries()).every(({ state }) => state === "handled")).toBe(true),
    );
    expect(ran.sort((a, b) => a - b)).toEqual(numbers);
    expect(reports.every(({ handled }) => handled <= 20)).toBe(true);
  });

  it("waits for room that others use", async () => {
    const held = gate();
    open({ a: (_, { seq }) => (seq <= 2 ? held.opened : "ok") });
    await add(1, 2);
    const first = receiver.drain(BUDGET);
    await vi.advanceTimersByTimeAsync(1);
    await add(3);
    const second = receiver.drain(BUDGET);
    await vi.advanceTimersByTimeAsync(10);
    held.open();
    const reports = await Promise.all([first, second]);
    expect(reports[0].handled + reports[1].handled).toBe(3);
  });

  it("does not wait for room that is reserved for an entry about to be kept", async () => {
    const held = gate();
    open({ a: () => "ok" }, { concurrency: 1 });
    const append = inbox.append.bind(inbox);
    const appending = vi
      .spyOn(inbox, "append")
      .mockImplementation((entry) => held.opened.then(() => append(entry)));
    await receiver.start();
    await vi.advanceTimersByTimeAsync(1); // the first claim, after which room is reserved
    const event = storedEntry(1).delivery;
    const accepting = receiver.accept(event);
    while (appending.mock.calls.length === 0) await new Promise(setImmediate);
    expect(appending).toHaveBeenCalledWith(
      expect.objectContaining({ lease: expect.objectContaining({ token: expect.any(String) }) }),
    );
    // In a loop without an end, time passes as it looks at the clock.
    let looks = 0;
    const now = vi.spyOn(performance, "now").mockImplementation(() => looks++);
    const report = await receiver.drain(BUDGET);
    now.mockRestore();
    expect(report).toEqual(NOTHING);
    expect(looks).toBeLessThan(20);
    held.open();
    await accepting;
  });

  it("is ended by close(), which aborts its handlers after the grace period and gives their entries back", async () => {
    open({ a: untilAborted }, { drainTimeout: 50 });
    await add(1, 2, 3);
    const draining = receiver.drain(BUDGET);
    await vi.advanceTimersByTimeAsync(1);
    const closing = receiver.close();
    await vi.advanceTimersByTimeAsync(50);
    await closing;
    expect(await draining).toMatchObject({ handled: 0, returned: 2 });
    const due = { state: "waiting", attempts: 0 };
    expect(await entries()).toMatchObject([due, due, due]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("retries an entry whose target is away by its own back-off, and leaves no timer", async () => {
    const away = Object.assign(new Error("refused"), { away: true });
    const handler = () => Promise.reject(away);
    open([{ name: "send", handler, target: { name: "books" } }]);
    await add(1, 2);
    expect(await receiver.drain(BUDGET)).toMatchObject({
      failing: 2,
      nextRunAt: Date.now() + 5000,
    });
    expect(vi.getTimerCount()).toBe(0);
  });
});
