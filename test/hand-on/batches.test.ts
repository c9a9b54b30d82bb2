import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  type HandOnMessage,
  type HandOnOptions,
  handOn,
  type Send,
} from "../../src/entries/index.ts";
import { contextOf, eventOf } from "./sample.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A handler whose batches arrive when the test says so. */
function open(options?: HandOnOptions) {
  const batches: {
    readonly ids: readonly string[];
    readonly messages: readonly HandOnMessage[];
    readonly signal: AbortSignal;
    readonly end: (result?: Awaited<ReturnType<Send>>) => void;
    readonly fail: (error: unknown) => void;
  }[] = [];
  const send: Send = (messages, { signal }) =>
    new Promise((end, fail) => {
      batches.push({ ids: messages.map(({ id }) => id), messages, signal, end, fail });
    });
  const handler = handOn(send, options);
  /** Hands an event on; `outcome` is what became of it. */
  const add = (id: string, { size = 10, orderKey = null as string | null } = {}) => {
    const aborter = new AbortController();
    const message = {
      outcome: "open" as unknown,
      abort: (reason: unknown) => aborter.abort(reason),
    };
    Promise.resolve(
      handler(eventOf(id), contextOf({ size, orderKey, signal: aborter.signal })),
    ).then(
      () => {
        message.outcome = "taken";
      },
      (error: unknown) => {
        message.outcome = error;
      },
    );
    return message;
  };
  return { batches, add, sent: () => batches.map(({ ids }) => ids) };
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

describe("a batch of handOn", () => {
  it("leaves when its oldest message has lingered", async () => {
    const { add, sent } = open({ linger: 20 });
    add("a");
    await pass(12);
    add("b");
    await pass(7);
    expect(sent()).toEqual([]);
    await pass(1);
    expect(sent()).toEqual([["a", "b"]]);
  });

  it("leaves at once when it is full, and the rest lingers", async () => {
    const { add, sent } = open({ linger: 20, batchSize: 2, inFlight: 2 });
    for (const id of ["a", "b", "c"]) add(id);
    expect(sent()).toEqual([["a", "b"]]);
    await pass(19);
    expect(sent()).toHaveLength(1);
    await pass(1);
    expect(sent()).toEqual([["a", "b"], ["c"]]);
  });

  it("has at most batchBytes, unless a single body is larger", async () => {
    const { add, sent, batches } = open({ batchBytes: 100 });
    for (const [id, size] of [
      ["a", 60],
      ["b", 40],
      ["c", 1],
      ["d", 300],
      ["e", 99],
    ] as const) {
      add(id, { size });
    }
    for (let many = 0; many < 4; many++) {
      await pass(5);
      batches.at(-1)?.end();
    }
    expect(sent()).toEqual([["a", "b"], ["c"], ["d"], ["e"]]);
  });

  it("gathers while as many as permitted are on their way, then leaves at once", async () => {
    const { add, sent, batches } = open({ linger: 5 });
    add("a");
    await pass(5);
    for (const id of ["b", "c", "d"]) add(id);
    await pass(1000);
    expect(sent()).toEqual([["a"]]);
    batches[0]?.end();
    await pass(0);
    expect(sent()).toEqual([["a"], ["b", "c", "d"]]);
  });

  it("travels beside others up to inFlight", async () => {
    const { add, sent } = open({ batchSize: 1, inFlight: 2 });
    for (const id of ["a", "b", "c"]) add(id);
    await pass(1000);
    expect(sent()).toEqual([["a"], ["b"]]);
  });

  it("carries the event id, the order key, and the bytes and headers of the delivery", async () => {
    const { add, batches } = open();
    add("evt_1", { orderKey: "property_7", size: 3 });
    await pass(5);
    const [message] = batches[0]?.messages ?? [];
    expect(message).toMatchObject({ id: "evt_1", orderKey: "property_7", attempt: 2, seq: 9 });
    expect(message?.delivery.body).toEqual(new Uint8Array(3));
    expect(message?.delivery.headers).toEqual({ "x-service-signature": "sha256=0" });
  });
});

describe("a message of handOn", () => {
  it("is taken if send returns nothing", async () => {
    const { add, batches } = open();
    const a = add("a");
    const b = add("b");
    await pass(5);
    expect([a.outcome, b.outcome]).toEqual(["open", "open"]);
    batches[0]?.end();
    await pass(0);
    expect([a.outcome, b.outcome]).toEqual(["taken", "taken"]);
  });

  it("fails alone if send names it", async () => {
    const { add, batches } = open();
    const messages = ["a", "b", "c"].map((id) => add(id));
    await pass(5);
    const error = new Error("full");
    batches[0]?.end([{ id: "b", error }]);
    await pass(0);
    expect(messages.map(({ outcome }) => outcome)).toEqual(["taken", error, "taken"]);
  });

  it("fails with all others if send throws, even before it returns a promise", async () => {
    const error = new Error("the broker is away");
    const handler = handOn(() => {
      throw error;
    });
    const runs = ["a", "b"].map((id) => Promise.resolve(handler(eventOf(id), contextOf())));
    const results = Promise.allSettled(runs);
    await pass(5);
    expect(await results).toEqual([
      { status: "rejected", reason: error },
      { status: "rejected", reason: error },
    ]);
  });

  it.each([
    ["a broker's answer", { offsets: [1] }],
    ["a list of other things", [{ partition: 0, offset: "7" }]],
    ["a message of another batch", [{ id: "z", error: new Error("full") }]],
    ["true", true],
    ["null", null],
  ])("fails if send returns %s, since it may not have been taken", async (_, result) => {
    const { add, batches } = open();
    const message = add("a");
    await pass(5);
    batches[0]?.end(result as never);
    await pass(0);
    expect(message.outcome).toMatchObject({ code: "option_invalid" });
  });

  it("is withdrawn if it runs out of time before its batch leaves, and holds nothing back", async () => {
    const { add, sent } = open({ batchSize: 2, linger: 50 });
    const late = add("a");
    await pass(10);
    late.abort("too late");
    await pass(0);
    expect(late.outcome).toBe("too late");
    add("b");
    await pass(49);
    expect(sent()).toEqual([]); // what comes next lingers as long as if it were the first
    add("c");
    expect(sent()).toEqual([["b", "c"]]);
  });

  it("is not sent if it had run out of time before it came", async () => {
    const handler = handOn(() => {
      throw new Error("expected no batch");
    });
    const signal = AbortSignal.abort("too late");
    const run = Promise.resolve(handler(eventOf("a"), contextOf({ signal })));
    await expect(run).rejects.toBe("too late");
    await pass(1000);
  });

  it("that runs out of time under way aborts the signal of its batch, which still decides on the others", async () => {
    const { add, batches } = open();
    const a = add("a");
    const b = add("b");
    await pass(5);
    a.abort("too late");
    await pass(0);
    expect(batches[0]?.signal.reason).toBe("too late");
    expect([a.outcome, b.outcome]).toEqual(["too late", "open"]);
    batches[0]?.end();
    await pass(0);
    expect([a.outcome, b.outcome]).toEqual(["too late", "taken"]);
  });

  it("is sent although an earlier batch never ends, once nobody waits for that any more", async () => {
    const { add, batches, sent } = open();
    const a = add("a");
    const b = add("b");
    await pass(5);
    add("c");
    await pass(5);
    a.abort("too late");
    await pass(0);
    expect(sent()).toEqual([["a", "b"]]);
    b.abort("too late");
    await pass(0);
    expect(sent()).toEqual([["a", "b"], ["c"]]);
    expect(batches[1]?.signal.aborted).toBe(false);
  });
});

describe("the options of handOn", () => {
  it.each([
    ["batchSize of 0", { batchSize: 0 }],
    ["batchBytes of 0", { batchBytes: 0 }],
    ["a negative linger", { linger: -1 }],
    ["inFlight of 0", { inFlight: 0 }],
    ["an unknown name", { lingerMs: 5 }],
  ])("refuse %s", (_, options) => {
    expect(() => handOn(async () => {}, options as HandOnOptions)).toThrow(
      expect.objectContaining({ code: "option_invalid" }),
    );
  });

  it("refuse anything but a function as send", () => {
    expect(() => handOn("redis://127.0.0.1" as never)).toThrow(
      expect.objectContaining({ code: "option_invalid" }),
    );
  });
});
