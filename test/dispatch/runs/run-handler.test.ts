import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { OwnSignal } from "../../../src/dispatch/runs/handler-context.ts";
import { runHandler } from "../../../src/dispatch/runs/run-handler.ts";
import { LATE } from "../../../src/dispatch/runs/time-limits.ts";
import { type AttemptRecord, HookporterError } from "../../../src/entries/index.ts";

/** Not written as a key, since objects that look like promises are rarely meant. */
const THEN: string = "then";

const failNow: () => unknown = () => {
  throw new Error("no");
};

const throwingThen: object = Object.defineProperty({}, THEN, { get: failNow });

const AT = Date.UTC(2024, 0, 15, 12);

describe("runHandler", () => {
  it.each([
    ["returns", () => "anything"],
    ["returns nothing", () => {}],
    ["resolves", async () => 7],
    ["resolves later", () => new Promise((resolve) => setImmediate(resolve))],
  ])("records a handler that %s as ok", async (_, handler) => {
    expect(await run(handler)).toEqual({
      attempt: 3,
      handler: "payments",
      startedAt: AT,
      duration: expect.any(Number),
      outcome: "ok",
      error: null,
      failure: null,
      note: null,
    });
  });

  it.each([
    ["succeeds", () => {}],
    ["fails", () => Promise.reject(new Error("no"))],
  ])("records the duration of a handler that %s", async (_, end) => {
    let ownMs = 0;
    const before = performance.now();
    const { duration } = await run(async () => {
      const start = performance.now();
      await new Promise((resolve) => setTimeout(resolve, 20));
      ownMs = performance.now() - start;
      await end();
    });
    const wholeMs = performance.now() - before;
    // Rounded to hundredths.
    expect(duration).toBeGreaterThanOrEqual(ownMs - 0.01);
    expect(duration).toBeLessThanOrEqual(wholeMs + 0.01);
  });

  it("needs no promise for a handler that returns none, or throws", () => {
    expect(runWhole(() => "anything")).toMatchObject({ record: { outcome: "ok" } });
    expect(runWhole(failNow)).toMatchObject({ record: { outcome: "error" } });
    expect(runWhole(() => throwingThen)).toMatchObject({ record: { outcome: "error" } });
  });

  it.each([
    ["resolves", (resolve: () => void) => void setImmediate(resolve), { outcome: "ok" }],
    [
      "rejects",
      (_: unknown, reject: (thrown: unknown) => void) => reject("no"),
      { outcome: "error" },
    ],
  ])("waits for an object whose method `then` %s", async (_, then, record) => {
    const running = runWhole(() => ({ [THEN]: then }));
    expect(running).toBeInstanceOf(Promise);
    expect(await running).toMatchObject({ record });
  });

  const cyclic: { self?: unknown } = {};
  cyclic.self = cyclic;
  const cyclicError = new Error("cyclic", { cause: cyclic });
  cyclicError.cause = cyclicError;
  const throwingMessage = Object.defineProperty(new Error("x"), "message", {
    get: () => {
      throw new Error("from the getter");
    },
  });

  it.each([
    ["an error", new Error("no such tenant"), "no such tenant"],
    ["undefined", undefined, expect.any(String)],
    ["null", null, expect.any(String)],
    ["a string", "broke", 'threw the string "broke"'],
    ["an empty string", "", 'threw the string ""'],
    ["a number", 7, expect.any(String)],
    ["a symbol", Symbol("s"), expect.any(String)],
    ["a frozen error", Object.freeze(new Error("frozen")), "frozen"],
    ["a cyclic object", cyclic, expect.any(String)],
    ["a cyclic error", cyclicError, "cyclic"],
    ["an object without prototype", Object.create(null), expect.any(String)],
    ["an error without message", new TypeError(), "TypeError"],
    ["an error whose message throws", throwingMessage, expect.any(String)],
    ["an aggregate of no errors", new AggregateError([], "none"), "none"],
  ])("[case 73] records %s that is thrown or rejected with", async (_, thrown, error) => {
    const thrower = () => {
      throw thrown;
    };
    expect(await run(thrower)).toMatchObject({ outcome: "error", error });
    expect(await run(() => Promise.reject(thrown))).toMatchObject({ outcome: "error", error });
  });

  it.each([
    ["an error whose message is a number", Object.assign(new Error(), { message: 42 })],
    ["an error whose message is an object", Object.assign(new Error(), { message: { code: 1 } })],
    ["a revoked proxy", revokedProxy()],
  ])("[case 73] records %s", async (_, thrown) => {
    const record = await run(() => Promise.reject(thrown));
    expect(record).toMatchObject({ outcome: "error", error: expect.any(String) });
  });

  it.each([
    ["ASCII", "x".repeat(10_000_000)],
    ["two-byte letters", "é".repeat(1_000_000)],
    ["three-byte letters", "€".repeat(1_000_000)],
    ["emoji", "😀".repeat(1_000_000)],
    ["emoji after one letter", `a${"😀".repeat(1000)}`],
    ["emoji after two letters", `ab${"😀".repeat(1000)}`],
    ["emoji after three letters", `abc${"😀".repeat(1000)}`],
    ["one byte too many", "x".repeat(2049)],
    ["few letters of many bytes", "€".repeat(683)],
  ])("[case 73] truncates a huge error of %s to 2 KiB of whole characters", async (_, message) => {
    const { error } = await run(() => Promise.reject(new Error(message)));
    const bytes = Buffer.from(error ?? "");
    expect(bytes.byteLength).toBeLessThanOrEqual(2048);
    expect(bytes.byteLength).toBeGreaterThan(2000);
    expect(bytes.toString("utf8")).toBe(error);
    expect(error).not.toContain("\ufffd");
    expect(message.startsWith(error?.slice(0, -1) ?? "")).toBe(true);
  });

  it.each([
    ["2048 bytes of ASCII", "x".repeat(2048)],
    ["2048 bytes of emoji", "😀".repeat(512)],
  ])("keeps an error of %s whole", async (_, message) => {
    expect(await run(() => Promise.reject(new Error(message)))).toMatchObject({ error: message });
  });

  describe("with a time limit", () => {
    beforeEach(() => void vi.useFakeTimers());
    afterEach(() => void vi.useRealTimers());

    it("[case 74] times out a handler that never settles", async () => {
      const record = run(() => new Promise(() => {}), { timeout: 30_000 });
      await vi.advanceTimersByTimeAsync(30_000);
      expect(await Promise.race([record, "still running"])).toBe("still running");
      await vi.advanceTimersByTimeAsync(LATE);
      expect(await record).toMatchObject({ outcome: "timeout", error: expect.any(String) });
    });

    it("[case 74] aborts the handler's signal with a reason that has a code", async () => {
      let seen: AbortSignal | undefined;
      const record = run(
        (signal) => {
          seen = signal;
          return new Promise(() => {});
        },
        { timeout: 10 },
      );
      await vi.advanceTimersByTimeAsync(10);
      expect(seen?.aborted).toBe(false);
      await vi.advanceTimersByTimeAsync(LATE);
      await record;
      expect(seen?.aborted).toBe(true);
      expect(seen?.reason).toMatchObject({ code: "handler_timeout" });
    });

    it("also records a handler as timed out if it passes its signal on", async () => {
      const record = run(
        (signal) =>
          new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
        { timeout: 10 },
      );
      await vi.advanceTimersByTimeAsync(10 + LATE);
      expect(await record).toMatchObject({ outcome: "timeout" });
    });

    it("[case 78] ignores the later failure of a handler that timed out", async () => {
      const unhandled = vi.fn();
      process.on("unhandledRejection", unhandled);
      try {
        const record = run(
          () => new Promise((_, reject) => setTimeout(() => reject(new Error("late")), 100)),
          { timeout: 10 },
        );
        await vi.advanceTimersByTimeAsync(200);
        expect(await record).toMatchObject({ outcome: "timeout" });
        vi.useRealTimers();
        await new Promise((resolve) => setImmediate(resolve));
        expect(unhandled).not.toHaveBeenCalled();
      } finally {
        process.off("unhandledRejection", unhandled);
      }
    });

    it("leaves no timer", async () => {
      await run(() => "ok", { timeout: 60_000 });
      await run(() => Promise.reject(new Error("no")), { timeout: 60_000 });
      expect(vi.getTimerCount()).toBe(0);
    });
  });

  describe("with notes", () => {
    it.each([
      ["succeeds", () => {}, "ok"],
      ["fails", () => Promise.reject(new Error("no")), "error"],
      ["takes too long", () => new Promise(() => {}), "timeout"],
    ] as const)("stores the notes of a handler that %s, as lines", async (_, end, outcome) => {
      const record = await run(
        (_signal, note) => {
          note("201 Created");
          note("saved");
          return end();
        },
        { timeout: outcome === "timeout" ? 20 : 5000 },
      );
      expect(record).toMatchObject({ outcome, note: "201 Created\nsaved" });
    });

    it("truncates them to 2 KiB of whole characters in total", async () => {
      const { note } = await run((_, keep) => {
        for (let line = 0; line < 100; line++) keep("é€😀".repeat(500));
      });
      expect(Buffer.byteLength(note ?? "")).toBeLessThanOrEqual(2048);
      expect(note).toMatch(/^é€😀.*…$/u);
      expect(note).not.toContain("\ufffd");
    });

    it("converts other values to strings", async () => {
      expect(await run((_, note) => note(404 as never))).toMatchObject({ note: "404" });
    });

    it("ignores notes after the end", async () => {
      const record = await run((_, note) => {
        setImmediate(() => note("too late"));
      });
      await new Promise((resolve) => setTimeout(resolve, 5));
      expect(record.note).toBeNull();
    });
  });

  it.each([
    ["an error", Object.assign(new Error("busy"), { retryAfter: 1500 }), 1500],
    ["an object", { retryAfter: 0 }, 0],
    ["a wait below 0", { retryAfter: -5 }, 0],
    ["a string", { retryAfter: "1500" }, undefined],
    ["NaN", { retryAfter: Number.NaN }, undefined],
    ["an error without it", new Error("busy"), undefined],
    ["nothing", undefined, undefined],
    ["a revoked proxy", revokedProxy(), undefined],
  ])("returns the delay requested by %s", async (_, thrown, wait) => {
    expect(await runWhole(() => Promise.reject(thrown))).toMatchObject({
      failure: wait === undefined ? {} : { retryAfter: wait },
    });
  });

  it.each([
    [
      "an error",
      Object.assign(new Error("down"), { away: true, final: true }),
      { away: true, final: true },
    ],
    ["an object", { away: "perhaps", final: false }, { away: "perhaps" }],
    ["other values", { away: "yes", final: 1 }, {}],
    ["a revoked proxy", revokedProxy(), {}],
  ])("returns what %s says about the target", async (_, thrown, failure) => {
    const { retryAfter: _none, ...said } = (await runWhole(() => Promise.reject(thrown))).failure;
    expect(said).toEqual(failure);
  });

  it("takes a time-out for a target that is perhaps away", async () => {
    const never = () => new Promise(() => {});
    expect(await runWhole(never, { timeout: 5 })).toMatchObject({ failure: { away: "perhaps" } });
  });

  it("aborts the handler's signal if the receiver shuts down", async () => {
    const shutdown = new AbortController();
    let seen: AbortSignal | undefined;
    const record = run(
      (signal) => {
        seen = signal;
        return new Promise(() => {});
      },
      { signal: shutdown.signal },
    );
    await Promise.resolve();
    shutdown.abort(new HookporterError("closed", "stopping"));
    expect(await record).toMatchObject({ outcome: "error" });
    expect(seen?.reason).toMatchObject({ code: "closed" });
  });

  it("aborts the handler's signal if the receiver has shut down before it begins", async () => {
    const reason = new HookporterError("closed", "stopping");
    const signal = AbortSignal.abort(reason);
    for (const end of [() => new Promise(() => {}), () => "ok", failNow]) {
      let seen: AbortSignal | undefined;
      const handler = (own: AbortSignal) => {
        seen = own;
        return end();
      };
      const record = await run(handler, { signal });
      expect(record).toMatchObject({
        outcome: "error",
        error: expect.stringContaining("stopping"),
      });
      expect(seen).toMatchObject({ aborted: true, reason });
    }
  });

  it("keeps a replacement character that was in an error which is cut", async () => {
    const { error } = await run(() => Promise.reject(new Error(`\ufffd${"x".repeat(5000)}`)));
    expect(error).toMatch(/^\ufffdx+…$/);
  });

  it("leaves no listener on the receiver's signal", async () => {
    const shutdown = new AbortController();
    const add = vi.spyOn(shutdown.signal, "addEventListener");
    const remove = vi.spyOn(shutdown.signal, "removeEventListener");
    await run(() => "ok", { signal: shutdown.signal });
    expect(remove.mock.calls.map(([type, listener]) => [type, listener])).toEqual(
      add.mock.calls.map(([type, listener]) => [type, listener]),
    );
  });
});

async function run(...given: Parameters<typeof runWhole>): Promise<AttemptRecord> {
  return (await runWhole(...given)).record;
}

function runWhole(
  handler: (signal: AbortSignal, note: (text: string) => void) => unknown,
  options: { timeout?: number; signal?: AbortSignal } = {},
) {
  const { timeout = 5000, signal = new AbortController().signal } = options;
  const run = (own: OwnSignal, note: (text: string) => void) => handler(own.signal, note);
  return runHandler(run, { handler: "payments", attempt: 3, timeout, signal, clock: () => AT });
}

function revokedProxy(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}
