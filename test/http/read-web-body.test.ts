import { getEventListeners } from "node:events";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { BodyBudget } from "../../src/http/body-budget.ts";
import { readWebBody } from "../../src/http/read-web-body.ts";

const KIB = 1024;
const ROOMY = { limit: 1000, timeout: 5000 };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  vi.spyOn(globalThis, "setTimeout");
  vi.spyOn(globalThis, "clearTimeout");
});
afterEach(() => {
  // Not all timers are counted: Node's own client and other files of this worker may set some
  // meanwhile.
  const { calls, results } = vi.mocked(setTimeout).mock;
  const own = results.flatMap(({ value }, index) =>
    calls[index]?.[1] === ROOMY.timeout ? [value] : [],
  );
  const cleared = vi.mocked(clearTimeout).mock.calls.map(([timer]) => timer);
  expect(own.filter((timer) => !cleared.includes(timer))).toEqual([]);
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** A request whose body is sent by the test. */
function open(headers: Record<string, string> = {}) {
  const cancel = vi.fn();
  const abort = new AbortController();
  let controller: ReadableStreamDefaultController | undefined;
  const start = (given: ReadableStreamDefaultController) => {
    controller = given;
  };
  const body = new ReadableStream({ start, cancel });
  const options = { method: "POST", headers, body, signal: abort.signal, duplex: "half" };
  const request = new Request("http://x/webhooks", options as RequestInit);
  if (controller === undefined) throw new Error("a stream starts at once");
  return { request, cancel, abort, send: controller };
}

it("a body in several pieces is joined, up to the limit, and nothing listens any more", async () => {
  const { request, send, cancel } = open({ "content-length": "1000" });
  for (const byte of [1, 2]) send.enqueue(Buffer.alloc(500, byte));
  send.close();
  const body = (await readWebBody(request, ROOMY)) as Uint8Array;
  expect(Buffer.concat([Buffer.alloc(500, 1), Buffer.alloc(500, 2)]).equals(body)).toBe(true);
  expect(cancel).not.toHaveBeenCalled();
  expect(getEventListeners(request.signal, "abort")).toHaveLength(0);
});

it("a request without a body has an empty one", async () => {
  expect(await readWebBody(new Request("http://x", { method: "POST" }), ROOMY)).toEqual(
    new Uint8Array(0),
  );
});

it("a body that announces more than the limit is refused at once, however long its cancellation takes", async () => {
  const { request, cancel } = open({ "content-length": "1001" });
  cancel.mockReturnValue(new Promise(() => {}));
  expect(await readWebBody(request, ROOMY)).toBe("too_large");
});

it("one byte over the limit is too large, and the rest is cancelled", async () => {
  const { request, send, cancel } = open();
  send.enqueue(Buffer.alloc(1000));
  send.enqueue(Buffer.alloc(1));
  expect(await readWebBody(request, ROOMY)).toBe("too_large");
  expect(cancel).toHaveBeenCalledOnce();
});

it("a body that does not end in time is too slow, and is cancelled", async () => {
  const { request, send, cancel } = open();
  send.enqueue(Buffer.alloc(1));
  const read = readWebBody(request, ROOMY);
  await vi.advanceTimersByTimeAsync(5000);
  expect(await read).toBe("too_slow");
  expect(cancel).toHaveBeenCalledOnce();
});

it.each(["aborted before", "aborted while", "broken off while"])(
  "a request that is %s its body is read is not waited for",
  async (what) => {
    const { request, abort, cancel, send } = open();
    if (what === "aborted before") abort.abort();
    const read = readWebBody(request, ROOMY);
    if (what === "aborted while") abort.abort();
    if (what === "broken off while") send.error(new Error("connection reset"));
    expect(await read).toBe("aborted");
    expect(cancel.mock.calls.length).toBeLessThanOrEqual(1);
  },
);

it("a stream of something else than bytes is a mistake of the integrator", async () => {
  const { request, send } = open();
  vi.spyOn(request, "body", "get").mockReturnValue(
    new ReadableStream({ start: (own) => own.enqueue("{}") }),
  );
  send.close();
  await expect(readWebBody(request, ROOMY)).rejects.toMatchObject({ code: "body_already_parsed" });
});

it("a body for which no other can be ended is overloaded", async () => {
  const budget = new BodyBudget(16 * KIB);
  const { request, send, cancel } = open();
  send.enqueue(Buffer.alloc(20_000));
  expect(await readWebBody(request, { limit: 64 * KIB, timeout: 5000, budget })).toBe("overloaded");
  expect(cancel).toHaveBeenCalledOnce();
  expect(budget.held).toBe(0);
});
