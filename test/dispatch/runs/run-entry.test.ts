import { describe, expect, it, vi } from "vitest";
import type { Plan } from "../../../src/dispatch/handler.ts";
import { runEntry } from "../../../src/dispatch/runs/run-entry.ts";
import type { RunOptions, RunParts } from "../../../src/dispatch/runs/run-options.ts";
import type { HandlerContext } from "../../../src/entries/index.ts";
import type { ClaimedEntry } from "../../../src/inbox/claim.ts";
import { AT, sampleDelivery, sampleKey } from "../../inbox/entries.ts";
import { keptLog, planOf, QUICK, sampleEvent } from "../sample.ts";

const ENTRY: ClaimedEntry = {
  seq: 7,
  key: sampleKey(),
  kind: "payment.received",
  orderKey: null,
  runAt: AT + 1000,
  attempts: 1,
  finishedHandlers: [],
  lease: "lease-1",
  delivery: sampleDelivery(),
};

const fail = () => {
  throw new Error("no");
};

describe("runEntry", () => {
  it("runs handlers in order, and ends as handled when all have succeeded", async () => {
    const ran: string[] = [];
    const plan = planOf({ b: () => void ran.push("b"), a: async () => void ran.push("a") });
    expect(await run({ plan })).toMatchObject({
      seq: 7,
      lease: "lease-1",
      state: "handled",
      reason: null,
      finishedHandlers: ["b", "a"],
      records: [
        { handler: "b", attempt: 1, outcome: "ok" },
        { handler: "a", attempt: 1, outcome: "ok" },
      ],
    });
    expect(ran).toEqual(["b", "a"]);
  });

  it("[case 77] runs the other handlers if one fails, and waits before the retry", async () => {
    const settlement = await run({ plan: planOf({ a: () => "ok", b: fail, c: () => "ok" }) });
    expect(settlement).toMatchObject({
      state: "failing",
      reason: null,
      runAt: AT + QUICK.delay,
      finishedHandlers: ["a", "c"],
      records: [{ outcome: "ok" }, { outcome: "error", error: "no" }, { outcome: "ok" }],
    });
    expect(settlement.uncount).toBe(false);
  });

  it("leaves out the runs that are paused: those of a handler, or at a target", async () => {
    const ran: string[] = [];
    const named = (name: string, target?: string) => ({
      name,
      handler: () => void ran.push(name),
      ...(target !== undefined && { target: { name: target } }),
    });
    const handlers = [named("a"), named("b", "crm"), named("c", "a"), named("crm")];
    const plan = async () => ({ run: handlers, event: async () => sampleEvent() });
    const pausedAt = async (scope: "handler" | "target", name: string) => {
      ran.length = 0;
      const settlement = await run({ plan }, { paused: [{ scope, name }] });
      return [[...ran], settlement.state];
    };
    expect(await pausedAt("handler", "a")).toEqual([["b", "c", "crm"], "waiting"]);
    expect(await pausedAt("target", "crm")).toEqual([["a", "c", "crm"], "waiting"]);
    expect(await pausedAt("handler", "none")).toEqual([["a", "b", "c", "crm"], "handled"]);
  });

  it("in its turn at a target runs that target's handlers alone, or all if it has none left there", async () => {
    const ran: string[] = [];
    const handlers = [
      { name: "a", handler: () => void ran.push("a") },
      { name: "b", handler: () => void ran.push("b"), target: { name: "crm" } },
      { name: "c", handler: () => void ran.push("c"), target: { name: "billing" } },
    ];
    const plan = async () => ({ run: handlers, event: async () => sampleEvent() });
    const inTurn = async (finishedHandlers: readonly string[] = []) => {
      ran.length = 0;
      const turn = { target: "crm", end: undefined, asked: undefined };
      await run({ plan, turn }, { finishedHandlers });
      return [[...ran], turn.end];
    };
    expect(await inTurn()).toEqual([["b"], "took"]);
    expect(await inTurn(["b"])).toEqual([["a", "c"], undefined]);
  });

  it("[case 77] does not run a finished handler again", async () => {
    const ran: string[] = [];
    const plan = planOf({ a: () => void ran.push("a"), b: () => void ran.push("b") });
    const settlement = await run({ plan }, { finishedHandlers: ["a"], attempts: 2 });
    expect(ran).toEqual(["b"]);
    expect(settlement).toMatchObject({ state: "handled", finishedHandlers: ["a", "b"] });
    expect(settlement.records).toMatchObject([{ handler: "b", attempt: 2 }]);
  });

  it("runs a handler whose event needs no wait", async () => {
    const seen: unknown[] = [];
    const handler = (event: unknown) => void seen.push(event);
    const settlement = await run({
      plan: () => ({ run: [{ name: "a", handler }], event: sampleEvent }),
    });
    expect(settlement).toMatchObject({ state: "handled" });
    expect(seen).toEqual([sampleEvent()]);
  });

  it("lets a wrapper of a handler replace parts of its context", async () => {
    const lines: unknown[] = [];
    const own = {
      debug: () => {},
      info: (line: unknown) => void lines.push(line),
      warn: () => {},
      error: () => {},
    };
    const plan = planOf({
      a: (_, context) => {
        Object.assign(context, { log: own });
        context.log.info({ mine: true }, "a line");
      },
    });
    expect(await run({ plan })).toMatchObject({ state: "handled" });
    expect(lines).toEqual([{ mine: true }]);
  });

  it("is tried again when making its plan throws", async () => {
    const log = keptLog();
    expect(await run({ plan: fail, log })).toMatchObject({
      state: "failing",
      records: [],
      uncount: false,
    });
    expect(log.lines).toEqual([{ level: "error", fields: { seq: 7, error: "no" } }]);
  });

  it("ends as handled at once if all handlers have finished before", async () => {
    const settlement = await run({ plan: planOf({ a: fail }) }, { finishedHandlers: ["a"] });
    expect(settlement).toMatchObject({ state: "handled", finishedHandlers: ["a"], records: [] });
  });

  it("[case 79] ends as dead after the last attempt, with its records", async () => {
    const settlement = await run({ plan: planOf({ a: () => "ok", b: fail }) }, { attempts: 3 });
    expect(settlement).toMatchObject({
      state: "dead",
      reason: "attempts_exhausted",
      finishedHandlers: ["a"],
    });
    expect(settlement.records).toHaveLength(2);
  });

  describe("with a handler with its own `attempts`", () => {
    const endless = { retry: { ...QUICK, attempts: Number.POSITIVE_INFINITY } };
    const two = (short: () => unknown, long: () => unknown) => async (): Promise<Plan> => ({
      run: [
        { name: "short", handler: short, attempts: 2 },
        { name: "long", handler: long },
      ],
      event: async () => sampleEvent(),
    });

    it("continues with the other handler after its last attempt has failed", async () => {
      const settlement = await run({ plan: two(fail, fail), ...endless }, { attempts: 2 });
      expect(settlement).toMatchObject({ state: "failing", records: [{}, {}] });
    });

    it("then runs only the other handler, so one that kills the process no longer does", async () => {
      const ran = vi.fn();
      const settlement = await run({ plan: two(ran, fail), ...endless }, { attempts: 3 });
      expect(settlement).toMatchObject({ state: "failing", records: [{ handler: "long" }] });
      expect(ran).not.toHaveBeenCalled();
    });

    it("ends as dead when the other handler finally succeeds", async () => {
      const settlement = await run({ plan: two(fail, () => "ok"), ...endless }, { attempts: 30 });
      expect(settlement).toMatchObject({
        state: "dead",
        reason: "attempts_exhausted",
        finishedHandlers: ["long"],
      });
    });

    it("ends as dead at once if its last attempt fails and the other handler has succeeded", async () => {
      const settlement = await run({ plan: two(fail, () => "ok"), ...endless }, { attempts: 2 });
      expect(settlement).toMatchObject({
        state: "dead",
        records: [{ handler: "short" }, { outcome: "ok" }],
      });
    });

    it("ends as handled when both have succeeded", async () => {
      const settlement = await run(
        { plan: two(fail, () => "ok"), ...endless },
        { attempts: 30, finishedHandlers: ["short"] },
      );
      expect(settlement).toMatchObject({ state: "handled" });
    });

    it("never runs it more often than the entry's attempts allow", async () => {
      const settlement = await run({ plan: two(fail, fail) }, { attempts: 3 });
      expect(settlement).toMatchObject({ state: "dead", records: [{ handler: "long" }] });
    });
  });

  it("waits for the longest delay that a handler asks for", async () => {
    const asking = (retryAfter: number) => () =>
      Promise.reject(Object.assign(new Error(), { retryAfter }));
    const plan = planOf({ a: asking(700), b: asking(90_000), c: fail });
    expect(await run({ plan })).toMatchObject({ state: "failing", runAt: AT + 90_000 });
    expect(await run({ plan: planOf({ a: asking(1), c: fail }) })).toMatchObject({
      runAt: AT + QUICK.delay,
    });
  });

  it("waits without counting the attempt if the plan says so", async () => {
    const settlement = await run(
      { plan: async () => ({ wait: 4000, reason: "no_handler" }) },
      { attempts: 2 },
    );
    expect(settlement).toMatchObject({
      state: "waiting",
      reason: "no_handler",
      runAt: AT + 4000,
      uncount: true,
      records: [],
    });
  });

  it("stores a handler's notes with its record", async () => {
    const plan = planOf({ a: (_, { note }) => note("201") });
    expect(await run({ plan })).toMatchObject({ records: [{ note: "201" }] });
  });

  it("ends as handled if the last attempt succeeds", async () => {
    expect(await run({ plan: planOf({ a: () => "ok" }) }, { attempts: 3 })).toMatchObject({
      state: "handled",
    });
  });

  it("[case 76] ends as dead without running if the claims exceed the attempts", async () => {
    let planned = 0;
    const plan = async (): Promise<Plan> => {
      planned++;
      return { end: "handled", reason: "retried" };
    };
    const settlement = await run({ plan }, { attempts: 4, finishedHandlers: ["a"] });
    expect(settlement).toMatchObject({
      state: "dead",
      reason: "attempts_exhausted",
      finishedHandlers: ["a"],
      records: [],
    });
    expect(planned).toBe(0);
  });

  it.each<[Extract<Plan, { end: string }>, string | null]>([
    [{ end: "handled", reason: "retried" }, null],
    [{ end: "dead", reason: "invalid_data" }, "invalid_data"],
    [{ end: "received", reason: "no_handler" }, "no_handler"],
  ])("ends as the plan says: %j", async (plan, kept) => {
    const settlement = await run({ plan: async () => plan });
    expect(settlement).toMatchObject({ state: plan.end, reason: kept, records: [] });
  });

  it.each([
    ["has none", null, true],
    ["has one", "prop_1", false],
  ])(
    "reports by the order key whether others may wait for its end: it %s",
    async (_, orderKey, unordered) => {
      for (const plan of [planOf({ a: () => "ok" }), planOf({ a: fail })]) {
        expect(await run({ plan }, { orderKey })).toMatchObject({ unordered });
      }
    },
  );

  it("is retried if the plan fails, and ends as dead if it keeps failing", async () => {
    const plan = () => Promise.reject(new Error("schema broke"));
    const log = keptLog();
    expect(await run({ plan, log })).toMatchObject({
      state: "failing",
      runAt: AT + QUICK.delay,
      records: [],
    });
    expect(log.lines).toMatchObject([{ level: "error", fields: { seq: 7 } }]);
    expect(await run({ plan }, { attempts: 3 })).toMatchObject({
      state: "dead",
      reason: "attempts_exhausted",
    });
  });

  it("records an event that cannot be created as the handler's failure", async () => {
    const plan = async (): Promise<Plan> => ({
      run: [{ name: "a", handler: () => "ok" }],
      event: () => Promise.reject(new Error("broken")),
    });
    expect(await run({ plan })).toMatchObject({
      state: "failing",
      records: [{ outcome: "error" }],
    });
  });

  it("[case 77] passes each handler its own copy of the event", async () => {
    const amounts: unknown[] = [];
    const plan = planOf({
      a: (event) => {
        amounts.push(event.data.amount);
        event.data.amount = 999;
      },
      b: (event) => void amounts.push(event.data.amount),
    });
    await run({ plan });
    expect(amounts).toEqual([1, 1]);
  });

  it("passes each handler the attempt, number, delivery and a logger that names the event", async () => {
    let context: HandlerContext | undefined;
    const log = keptLog();
    const plan = planOf({
      a: (_, given) => {
        context = given;
        given.log.info({ amount: 1 }, "seen");
      },
    });
    await run({ plan, log }, { attempts: 2 });
    expect(context).toMatchObject({
      attempt: 2,
      seq: 7,
      delivery: { ...ENTRY.delivery, body: new Uint8Array(ENTRY.delivery.body) },
    });
    expect(context?.signal.aborted).toBe(false);
    expect(log.lines).toEqual([
      {
        level: "info",
        fields: { eventId: "evt_1", kind: "payment.received", attempt: 2, amount: 1 },
      },
    ]);
  });

  it("[case 74] counts a handler's timeout as a failure", async () => {
    const plan = planOf({ a: () => new Promise(() => {}) });
    expect(await run({ plan, handlerTimeout: 5 })).toMatchObject({
      state: "failing",
      records: [{ outcome: "timeout" }],
    });
  });

  it("[case 80] does not count the attempt if a shutdown ends it", async () => {
    const shutdown = new AbortController();
    const plan = planOf({
      a: () => "ok",
      b: () => {
        shutdown.abort(new Error("stopping"));
        return new Promise(() => {});
      },
    });
    expect(await run({ plan, signal: shutdown.signal }, { attempts: 3 })).toMatchObject({
      state: "failing",
      uncount: true,
      finishedHandlers: ["a"],
      runAt: AT,
    });
  });

  it("[case 80] ends as handled even at shutdown if every handler has succeeded", async () => {
    const shutdown = new AbortController();
    const plan = planOf({ a: () => shutdown.abort() });
    const settlement = await run({ plan, signal: shutdown.signal });
    // The handler ends and the abort happens in the same turn; in either order nothing is lost or
    // counted twice.
    expect(["handled", "waiting"]).toContain(settlement.state);
    if (settlement.state === "waiting") expect(settlement.uncount).toBe(true);
  });

  it("[case 80] starts no other handler after the shutdown has aborted the run", async () => {
    const shutdown = new AbortController();
    const ran: string[] = [];
    const plan = planOf({
      a: () => {
        shutdown.abort(new Error("stopping"));
        return new Promise(() => {});
      },
      b: () => void ran.push("b"),
    });
    await run({ plan, signal: shutdown.signal });
    expect(ran).toEqual([]);
  });
});

function run(options: Partial<RunOptions & RunParts>, entry: Partial<ClaimedEntry> = {}) {
  const all: RunOptions & RunParts = {
    plan: planOf({}),
    retry: QUICK,
    handlerTimeout: 1000,
    clock: () => AT,
    random: () => 0,
    log: keptLog(),
    signal: new AbortController().signal,
    ...options,
  };
  return runEntry({ ...ENTRY, ...entry }, all, all);
}
