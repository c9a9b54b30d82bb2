import { describe, expect, it } from "vitest";
import { describeFailure } from "../../src/base/failures/failure.ts";

/** A listener that refuses connections: nothing listens on port 1. */
async function refusedFetch(host: string): Promise<unknown> {
  try {
    return await fetch(`http://${host}:1/`, { signal: AbortSignal.timeout(5000) });
  } catch (thrown) {
    return thrown;
  }
}

describe("describeFailure", () => {
  it("follows the causes of an error", () => {
    const low = new Error("connect ECONNREFUSED 127.0.0.1:5432");
    const middle = new Error("the pool has no connection", { cause: low });
    const { error } = describeFailure(new Error("not saved", { cause: middle }));
    expect(error).toBe(
      "not saved ← the pool has no connection ← connect ECONNREFUSED 127.0.0.1:5432",
    );
  });

  it("names each address of a refused fetch", async () => {
    const thrown = new TypeError("fetch failed", {
      cause: new AggregateError([
        new Error("connect ECONNREFUSED ::1:5432"),
        new Error("connect ECONNREFUSED 127.0.0.1:5432"),
      ]),
    });
    const refusals = "connect ECONNREFUSED ::1:5432; connect ECONNREFUSED 127.0.0.1:5432";
    expect(describeFailure(thrown).error).toBe(`fetch failed ← ${refusals}`);
  });

  it("names the cause and the place of a real fetch that is refused", async () => {
    const { error, failure } = describeFailure(await refusedFetch("127.0.0.1"));
    expect(error).toMatch(/^fetch failed ← (?:bad port|connect ECONNREFUSED 127\.0\.0\.1:1)$/);
    expect(failure).toMatchObject({ name: "TypeError" });
  });

  it("names the errors of an AggregateError, at most four", () => {
    const errors = ["a", "b", "c", "d", "e", "f"].map((text) => new Error(text));
    expect(describeFailure(new AggregateError(errors, "all failed")).error).toBe(
      "all failed (a; b; c; d; 2 more)",
    );
  });

  it("names the first line of code that is neither Node's, a package's, nor ours", () => {
    const error = new Error("no");
    error.stack = [
      "Error: no",
      "    at parse (node:internal/deps:1:1)",
      "    at Object.get (/home/me/app/node_modules/pg/lib/client.js:10:3)",
      `    at runHandler (${import.meta.dirname.replace(/test.base$/, "src/dispatch/runs/run-handler.ts")}:50:7)`,
      "    at async pay (file:///home/me/app/src/handlers/pay%20ments.ts:12:34)",
      "    at main (/home/me/app/src/main.ts:1:2)",
    ].join("\n");
    const { at, stack } = describeFailure(error).failure;
    expect(at).toBe("/home/me/app/src/handlers/pay ments.ts:12:34");
    expect(stack?.split("\n").map((line) => line.trim().replace(/ \(.*/, ""))).toEqual([
      "Error: no",
      "at Object.get",
      "at async pay",
      "at main",
    ]);
  });

  it("names a place relative to the working folder, also of an error thrown in a real function", () => {
    const fail = (value: { name?: { first: string } }) =>
      value.name as never as { first: { x: string } };
    let thrown: unknown;
    try {
      fail({}).first.x.toString();
    } catch (error) {
      thrown = error;
    }
    expect(describeFailure(thrown).failure).toMatchObject({
      name: "TypeError",
      at: expect.stringMatching(/^test\/base\/failure\.test\.ts:\d+:\d+$/),
      stack: expect.stringContaining("TypeError: Cannot read properties of undefined"),
    });
  });

  it("finds the place in the cause if the error itself has none", () => {
    const outer = new Error("outer", { cause: new Error("inner") });
    outer.stack = "Error: outer\n    at node:internal/x:1:1";
    const { at, stack } = describeFailure(outer).failure;
    expect(at).toMatch(/^test\/base\/failure\.test\.ts/);
    expect(stack).toContain("caused by: Error: inner");
  });

  it.each([
    ["undefined", undefined, "threw undefined", "undefined"],
    ["null", null, "threw null", "null"],
    ["a string", "no", 'threw the string "no"', "string"],
    ["a number", 7, "threw 7", "number"],
    ["a symbol", Symbol("s"), "threw Symbol(s)", "symbol"],
    ["a function", () => {}, "threw a function, not an Error", "function"],
    ["an object", { password: "p" }, "threw an object, not an Error", "object"],
    ["an object of a class", new Map([["password", "p"]]), "threw a Map, not an Error", "object"],
    ["an object with a message", { message: "m" }, "threw an object, not an Error: m", "object"],
  ])("says what was thrown if it is %s", (_, thrown, error, name) => {
    expect(describeFailure(thrown)).toEqual({ error, failure: { name, at: null, stack: null } });
  });

  it("follows at most eight causes", () => {
    let error = new Error("0");
    for (let at = 1; at <= 12; at++) error = new Error(String(at), { cause: error });
    expect(describeFailure(error).error).toBe("12 ← 11 ← 10 ← 9 ← 8 ← 7 ← 6 ← 5 ← 4");
  });

  it.each([
    ["no message", new AggregateError([new Error("a"), new Error("b")]), "a; b"],
    [
      "exactly four errors",
      new AggregateError(
        [1, 2, 3, 4].map((n) => new Error(`e${n}`)),
        "all",
      ),
      "all (e1; e2; e3; e4)",
    ],
    ["no errors", new AggregateError([], "none"), "none"],
    ["something else as errors", Object.assign(new Error("own"), { errors: "x" }), "own"],
  ])("names the errors of an AggregateError with %s", (_, thrown, error) => {
    expect(describeFailure(thrown).error).toBe(error);
  });

  it("says what it can of what cannot be read", () => {
    const guarded = {
      get message() {
        throw new Error("no");
      },
      get cause() {
        throw new Error("no");
      },
    };
    const anonymous = new (class {})();
    Object.defineProperty(anonymous.constructor, "name", { value: "" });
    for (const thrown of [guarded, Object.create(null), anonymous])
      expect(describeFailure(thrown).error).toBe("threw an object, not an Error");
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(describeFailure(proxy)).toEqual({
      error: expect.any(String),
      failure: { name: "object", at: null, stack: null },
    });
  });

  it.each([
    ["PaymentError", "PaymentError"],
    ["", "Error"],
    [7, "Error"],
    ["x".repeat(200), expect.stringMatching(/^x{90,99}…$/)],
  ])("an error named %j has the name %j", (name, shown) => {
    expect(describeFailure(Object.assign(new Error("no"), { name })).failure.name).toEqual(shown);
  });

  it.each([
    ["", null],
    [7, null],
    ["Error: no\nand nowhere", null],
  ])("a stack %j has no place", (stack, shown) => {
    const { at, stack: told } = describeFailure(Object.assign(new Error("no"), { stack })).failure;
    expect([at, told]).toEqual([null, shown]);
  });

  it("a place without a column has its line alone", () => {
    const stack = "Error: no\n    at main (/home/me/app/main.ts:5)";
    const { failure } = describeFailure(Object.assign(new Error("no"), { stack }));
    expect(failure).toMatchObject({ at: "/home/me/app/main.ts:5", stack });
  });

  it("ends at a cause that is its own cause", () => {
    const a = new Error("a");
    a.cause = new Error("b", { cause: a });
    expect(describeFailure(a).error).toBe("a ← b");
  });

  it("limits messages to 2 KiB and stacks to 8 KiB", () => {
    const error = new Error("ü".repeat(10_000));
    const described = describeFailure(error);
    expect(Buffer.byteLength(described.error)).toBeLessThanOrEqual(2048);
    expect(Buffer.byteLength(described.failure.stack ?? "")).toBeLessThanOrEqual(8192);
  });
});
