import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LATE } from "../../src/dispatch/attempts/time-limits.ts";
import type { Handler, HandlerContext } from "../../src/entries/index.ts";
import { haveOneHiddenClass } from "../hidden-class.ts";
import { gate, uncaught, until } from "../receiver/sample.ts";
import { openRuns, QUICK, sharedInbox, storedEntry } from "./open.ts";

type Opened = Awaited<ReturnType<typeof openRuns>>;

const fail = () => Promise.reject(new Error("no"));

/** Delivers an event, and resolves once no more attempts follow. */
async function untilEnded({ deliver, entry, untilState }: Opened, state: "handled" | "dead") {
  await deliver(1);
  await untilState(state);
  return entry();
}

/** What its handlers' records say: the attempt, the handler's name and the outcome. */
async function recordsOf({ inbox }: Pick<Opened, "inbox">) {
  return (await inbox.attempts(1)).map(
    ({ attempt, handler, outcome }) => `${attempt} ${handler} ${outcome}`,
  );
}

/** The record of the only run of a handler. */
async function recordOf(handler: Handler, handlerTimeout = 5000) {
  const opened = await openRuns({ a: handler }, { retry: { attempts: 1 }, handlerTimeout });
  await opened.deliver(1);
  await until(() => expect(opened.attempts()).toHaveLength(1));
  const [record, ...others] = await opened.inbox.attempts(1);
  expect(others).toEqual([]);
  return record;
}

/** A schema that accepts all data at first, and from when `isBroken` is set ends as a test says. */
function breakableSchema(end: () => unknown) {
  const state = { isBroken: false };
  const validate = (value: unknown) => (state.isBroken ? end() : { value });
  const schema = { "~standard": { version: 1, vendor: "test", validate } };
  return { state, schemas: { "payment.received": schema } as never };
}

describe("an entry", () => {
  it("[case 77] runs all its handlers, and again only those that failed", async () => {
    let left = 2;
    const opened = await openRuns({
      a: () => "ok",
      b: () => (left-- > 0 ? fail() : "ok"),
      c: async () => {},
    });
    expect(await untilEnded(opened, "handled")).toMatchObject({
      reason: null,
      finishedHandlers: ["a", "c", "b"],
    });
    expect(await recordsOf(opened)).toEqual([
      "1 a ok",
      "1 b error",
      "1 c ok",
      "2 b error",
      "3 b ok",
    ]);
    expect(opened.attempts().map(({ state }) => state)).toEqual(["failing", "failing", "handled"]);
    expect(opened.dead).toEqual([]);
  });

  it("[case 79] is a dead letter after its last attempt, with the error of the handler that failed", async () => {
    const opened = await openRuns({ bad: fail, good: () => "ok" });
    const entry = await untilEnded(opened, "dead");
    expect(entry).toMatchObject({ reason: "attempts_exhausted", finishedHandlers: ["good"] });
    await until(() => expect(opened.dead).toMatchObject([{ seq: 1, error: "no" }]));
  });

  it("without a handler is no dead letter", async () => {
    const opened = await openRuns({}, { handlers: { "lead.created": () => {} } });
    await opened.deliver(1);
    await opened.untilState("received");
    expect(opened.attempts()).toMatchObject([{ state: "received", reason: "no_handler" }]);
  });

  it("is left uncounted to another process that has its handler", async () => {
    const other = { id: "b", version: "1", role: "both", sources: ["service"], kinds: ["*"] };
    const inbox = Object.assign(sharedInbox(), { runners: async () => [other as never] });
    const settle = vi.spyOn(inbox, "settle");
    const { deliver, entry, attempts } = await openRuns({}, { handlers: {} }, inbox);
    await deliver(1);
    await until(() => expect(settle).toHaveBeenCalled());
    expect(await entry()).toMatchObject({ state: "waiting", reason: null, attempts: 0 });
    expect(attempts()).toEqual([]);
  });

  it.each<[string, number, number, string, readonly string[]]>([
    ["goes on without it", 2, 4, "dead", ["short", "long", "short", "long", "long", "long"]],
    ["ends at once if the others have ended", 2, 1, "dead", ["short", "long", "short"]],
    ["is handled if it succeeds in time", 1, 3, "handled", ["short", "long", "long", "long"]],
  ])(
    "whose handler has fewer attempts than the others %s",
    async (_, failing, takes, state, runs) => {
      const ran: string[] = [];
      const short: Handler = (_event, { attempt }) => {
        ran.push("short");
        if (failing === 2 || attempt < failing) throw new Error("no");
      };
      const long: Handler = (_event, { attempt }) => {
        ran.push("long");
        if (attempt < takes) throw new Error("no");
      };
      const opened = await openRuns(
        [
          { name: "short", handler: short, attempts: 2 },
          { name: "long", handler: long },
        ],
        { retry: { ...QUICK, attempts: Number.POSITIVE_INFINITY } },
      );
      await untilEnded(opened, state as "dead");
      expect(ran).toEqual(runs);
    },
  );

  it("never runs a handler more often than the receiver's attempts allow", async () => {
    const opened = await openRuns([{ name: "a", handler: fail, attempts: 5 }]);
    expect(await untilEnded(opened, "dead")).toMatchObject({ attempts: 3 });
  });

  it.each<[string, readonly unknown[], number]>([
    ["asks for nothing", [new Error("no")], QUICK.delay],
    ["asks for a time", [Object.assign(new Error("busy"), { retryAfter: 1500 })], 1500],
    ["asks for no wait", [{ retryAfter: 0 }], 0],
    ["asks for less than nothing", [{ retryAfter: -5 }], 0],
    ["asks by a string", [{ retryAfter: "1500" }], QUICK.delay],
    ["asks for NaN", [{ retryAfter: Number.NaN }], QUICK.delay],
    ["throws undefined", [undefined], QUICK.delay],
    ["throws a revoked proxy", [revokedProxy()], QUICK.delay],
    ["asks for less than another", [{ retryAfter: 700 }, { retryAfter: 90_000 }], 90_000],
    ["asks for less than another's back-off", [{ retryAfter: 1 }, new Error("no")], QUICK.delay],
  ])("waits for its next attempt if a handler %s", async (_, thrown, delay) => {
    const now = Date.now() + 1000; // so that the event is due
    const inbox = sharedInbox();
    const settle = vi.spyOn(inbox, "settle");
    const handlers = thrown.map((error, index) => [`${index}`, () => Promise.reject(error)]);
    const opened = await openRuns(Object.fromEntries(handlers), { clock: () => now }, inbox);
    await opened.deliver(1);
    await until(() => expect(settle).toHaveBeenCalled());
    expect(settle.mock.calls[0]?.[0]).toMatchObject({ state: "failing", runAt: now + delay });
  });

  it("is handled at once if it has no handler any more that has not finished", async () => {
    const opened = await openRuns(
      { a: () => "ok", b: fail },
      { retry: { ...QUICK, delay: 60_000, maxDelay: 60_000 } },
    );
    await opened.deliver(1);
    await opened.untilState("failing");
    opened.receiver.replaceHandlers((registry) => registry.on("*", fail, { name: "a" }));
    expect(await opened.receiver.runNow(1)).toEqual({
      state: "handled",
      reason: null,
      records: [],
    });
  });

  it("whose data cannot be checked any more is tried again, and then a dead letter", async () => {
    const { state, schemas } = breakableSchema(() => Promise.reject(new Error("broke")));
    const a = () => {
      state.isBroken = true;
      return fail();
    };
    const opened = await openRuns({ a }, { schemas });
    expect(await untilEnded(opened, "dead")).toMatchObject({ reason: "attempts_exhausted" });
    expect(await recordsOf(opened)).toEqual(["1 a error"]);
    const unread = { level: "error", fields: { seq: 1, error: "broke" } };
    expect(opened.lines).toMatchObject([unread, unread]);
  });

  it("whose data differs when it is checked again is a failure of the second handler", async () => {
    const { state, schemas } = breakableSchema(() => ({ issues: [{ message: "is odd" }] }));
    const a = () => {
      state.isBroken = true;
    };
    const opened = await openRuns({ a, b: () => "ok" }, { schemas });
    expect(await untilEnded(opened, "dead")).toMatchObject({ reason: "invalid_data" });
    expect(await recordsOf(opened)).toEqual(["1 a ok", "1 b error"]);
    const problems = [{ field: "data", message: expect.stringContaining("is odd") }];
    await until(() => expect(opened.dead).toMatchObject([{ reason: "invalid_data", problems }]));
  });

  it("that cannot be read is a dead letter, and is reported once", async () => {
    const inbox = sharedInbox();
    const claim = inbox.claim.bind(inbox);
    vi.spyOn(inbox, "claim").mockImplementation(async (request) =>
      (await claim(request)).map((entry) => ({ ...entry, unreadable: "a page is damaged" })),
    );
    await inbox.append(storedEntry(1));
    const ran = vi.fn();
    const opened = await openRuns({ a: () => ran() }, {}, inbox);
    await opened.untilState("dead");
    const damaged = { error: "a page is damaged" };
    await until(() => expect(opened.dead).toMatchObject([{ reason: "unreadable", ...damaged }]));
    expect(ran).not.toHaveBeenCalled();
    expect(opened.lines).toMatchObject([{ level: "error", fields: { seq: 1, ...damaged } }]);
  });

  it("[case 80] keeps what has finished when a shutdown ends it, and starts no other handler", async () => {
    const began = gate();
    const last = vi.fn();
    const opened = await openRuns({
      a: () => "ok",
      b: () => {
        began.open();
        return new Promise(() => {});
      },
      c: () => last(),
    });
    await opened.deliver(1);
    await began.opened;
    await opened.receiver.close();
    expect(await opened.inbox.list({})).toMatchObject([
      { state: "waiting", attempts: 0, finishedHandlers: ["a"] },
    ]);
    expect(last).not.toHaveBeenCalled();
    expect(opened.dead).toEqual([]);
  });
});

describe("a handler", () => {
  const cyclic = Object.assign(new Error("cyclic"), { cause: undefined as unknown });
  cyclic.cause = cyclic;
  const throwingMessage = Object.defineProperty(new Error("x"), "message", {
    get: () => {
      throw new Error("from the getter");
    },
  });

  it.each([
    ["an error", new Error("no such tenant"), "no such tenant"],
    ["undefined", undefined, "threw undefined"],
    ["null", null, "threw null"],
    ["a string", "broke", 'threw the string "broke"'],
    ["a number", 7, "threw 7"],
    ["a symbol", Symbol("s"), "threw Symbol(s)"],
    ["a frozen error", Object.freeze(new Error("frozen")), "frozen"],
    ["a cyclic error", cyclic, "cyclic"],
    ["an object without prototype", Object.create(null), expect.any(String)],
    ["an error without message", new TypeError(), "TypeError"],
    ["an error whose message throws", throwingMessage, expect.any(String)],
    [
      "an error whose message is no text",
      Object.assign(new Error(), { message: {} }),
      expect.any(String),
    ],
  ])("[case 73] may throw or reject with %s", async (_, thrown, error) => {
    const thrower = () => {
      throw thrown;
    };
    expect(await recordOf(thrower)).toMatchObject({ outcome: "error", error });
    expect(await recordOf(() => Promise.reject(thrown))).toMatchObject({ outcome: "error", error });
  });

  it("[case 73] may reject with a revoked proxy", async () => {
    const record = await recordOf(() => Promise.reject(revokedProxy()));
    expect(record).toMatchObject({ outcome: "error", error: expect.any(String) });
  });

  /** Not written as a key, since objects that look like promises are rarely meant. */
  const THEN: string = "then";

  it.each<[string, Handler, object]>([
    ["nothing", () => {}, { outcome: "ok" }],
    ["a promise", async () => 7, { outcome: "ok" }],
    [
      "an object that resolves",
      () => ({ [THEN]: (resolve: () => void) => setImmediate(resolve) }),
      { outcome: "ok" },
    ],
    [
      "an object that rejects",
      () => ({ [THEN]: (_: unknown, reject: (thrown: unknown) => void) => reject("no") }),
      { outcome: "error" },
    ],
    [
      "an object whose method then cannot be read",
      () =>
        Object.defineProperty({}, THEN, {
          get: () => {
            throw new Error("no");
          },
        }),
      { outcome: "error" },
    ],
  ])("may return %s", async (_, handler, record) => {
    const none = { error: null, failure: null };
    const { outcome } = record as { outcome: string };
    expect(await recordOf(handler)).toMatchObject({ ...record, ...(outcome === "ok" && none) });
  });

  it.each([
    ["succeeds", () => {}],
    ["fails", fail],
  ])("has the duration of its run in its record if it %s", async (_, end) => {
    let ownMs = 0;
    const before = performance.now();
    const record = await recordOf(async () => {
      const start = performance.now();
      await new Promise((resolve) => setTimeout(resolve, 20));
      ownMs = performance.now() - start;
      await end();
    });
    const wholeMs = performance.now() - before;
    // Rounded to hundredths.
    expect(record?.duration).toBeGreaterThanOrEqual(ownMs - 0.01);
    expect(record?.duration).toBeLessThanOrEqual(wholeMs + 0.01);
  });

  it.each([
    ["succeeds", () => {}, "ok"],
    ["fails", fail, "error"],
    ["takes too long", () => new Promise(() => {}), "timeout"],
  ] as const)("has its notes in its record, as lines, if it %s", async (_, end, outcome) => {
    const handler: Handler = (_event, { note }) => {
      note("201 Created");
      note(404 as never);
      return end();
    };
    const record = await recordOf(handler, outcome === "timeout" ? 20 : 5000);
    expect(record).toMatchObject({ outcome, note: "201 Created\n404" });
  });

  it("has 2 KiB of notes in its record at most, and none from after its end", async () => {
    const record = await recordOf((_, { note }) => {
      for (let line = 0; line < 100; line++) note("é€😀".repeat(500));
      setImmediate(() => note("too late"));
    });
    expect(Buffer.byteLength(record?.note ?? "")).toBeLessThanOrEqual(2048);
    expect(record?.note).toMatch(/^é€😀.*…$/u);
    expect(await recordOf((_, { note }) => void setImmediate(() => note("late")))).toMatchObject({
      note: null,
    });
  });

  describe("with a time limit", () => {
    beforeEach(() => void vi.useFakeTimers());
    afterEach(() => void vi.useRealTimers());

    const limited = async (handler: Handler, handlerTimeout: number) => {
      const options = { retry: { ...QUICK, delay: 600_000, maxDelay: 600_000 }, handlerTimeout };
      const opened = await openRuns({ a: handler }, options);
      await opened.deliver(1);
      await vi.advanceTimersByTimeAsync(0);
      return opened;
    };

    it("[case 74] fails once it is over, not before, and its signal is aborted with a reason that has a code", async () => {
      let signal: AbortSignal | undefined;
      const opened = await limited((_, context) => {
        signal = context.signal;
        return new Promise(() => {});
      }, 30_000);
      await vi.advanceTimersByTimeAsync(29_999);
      expect([signal?.aborted, opened.attempts()]).toEqual([false, []]);
      await vi.advanceTimersByTimeAsync(1 + LATE);
      expect(signal?.reason).toMatchObject({ code: "handler_timeout" });
      expect(await opened.inbox.attempts(1)).toMatchObject([
        { outcome: "timeout", error: expect.stringContaining("30000 ms") },
      ]);
      expect(await opened.entry()).toMatchObject({ state: "failing" });
    });

    it("has timed out too if it passes its signal on", async () => {
      const opened = await limited(
        (_, { signal }) =>
          new Promise((_resolve, reject) =>
            signal.addEventListener("abort", () => reject(signal.reason)),
          ),
        10,
      );
      await vi.advanceTimersByTimeAsync(10 + LATE);
      expect(await opened.inbox.attempts(1)).toMatchObject([{ outcome: "timeout" }]);
    });

    it("[case 78] may fail after it, which is ignored", async () => {
      const caught = uncaught();
      const opened = await limited(
        () => new Promise((_, reject) => setTimeout(() => reject(new Error("late")), 100)),
        10,
      );
      await vi.advanceTimersByTimeAsync(200);
      vi.useRealTimers();
      await new Promise((resolve) => setImmediate(resolve));
      expect(await opened.inbox.attempts(1)).toMatchObject([{ outcome: "timeout" }]);
      expect(caught).toEqual([]);
    });
  });
});

describe("the context of a handler", () => {
  /** The contexts of two handlers, and the lines that they log. */
  async function contexts() {
    const seen: HandlerContext[] = [];
    const keep: Handler = (_, context) => void seen.push(context);
    const opened = await openRuns({ a: keep, b: keep });
    await untilEnded(opened, "handled");
    const [one, other] = seen;
    if (one === undefined || other === undefined) throw new Error("expected two contexts");
    return { one, other, lines: opened.lines };
  }

  it("has a logger that names the event", async () => {
    const { one, lines } = await contexts();
    one.log.info({ more: true }, "a line");
    const named = { eventId: "evt_1", kind: "payment.received", attempt: 1 };
    expect(lines).toEqual([{ level: "info", fields: { ...named, more: true }, message: "a line" }]);
    expect(one.log).toBe(one.log);
    expect(one.delivery).toBe(one.delivery);
  });

  it("can be spread, inherited from and wrapped in a proxy, with all of its fields", async () => {
    const { one, lines } = await contexts();
    const names = ["attempt", "delivery", "log", "note", "orderKey", "seq", "signal"];
    expect(Object.keys(one).sort()).toEqual(names);
    for (const copy of [{ ...one }, Object.create(one), new Proxy(one, {})]) {
      expect(copy).toMatchObject({ attempt: 1, seq: 1, orderKey: null, delivery: one.delivery });
      expect(copy.signal).toBe(one.signal);
      copy.log.info({}, "a line");
    }
    expect(lines).toHaveLength(3);
  });

  it("takes another logger from what wraps the handler", async () => {
    const { one, lines } = await contexts();
    const info = vi.fn();
    Object.assign(one, { log: { ...one.log, info } });
    one.log.info({ mine: true }, "a line");
    expect(info).toHaveBeenCalledWith({ mine: true }, "a line");
    expect(lines).toEqual([]);
  });

  it("has one hidden class for all handlers", async () => {
    const { one, other } = await contexts();
    expect(haveOneHiddenClass(one, other)).toBe(true);
    expect(haveOneHiddenClass(one, { ...other })).toBe(false);
  });

  it.each([
    ["before", true],
    ["after", false],
  ])("has a signal that is aborted by a shutdown, if it is first used %s it", async (_, before) => {
    const began = gate();
    let context: HandlerContext | undefined;
    const seen: unknown[] = [];
    const { receiver, deliver } = await openRuns({
      a: (_event, given) => {
        context = given;
        if (before) given.signal.addEventListener("abort", () => seen.push(given.signal.reason));
        began.open();
        return new Promise(() => {});
      },
    });
    await deliver(1);
    await began.opened;
    await receiver.close();
    const closed = expect.objectContaining({ name: "HookporterError", code: "closed" });
    expect(context?.signal).toMatchObject({ aborted: true, reason: closed });
    expect(seen).toEqual(before ? [closed] : []);
  });
});

function revokedProxy(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}
