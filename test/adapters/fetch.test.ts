import { Hono } from "hono";
import { describe, expect, it, vi } from "vitest";
import { fetchReceiver } from "../../src/entries/fetch.ts";
import type { ReceiverOptions } from "../../src/entries/index.ts";
import { inboxOf } from "../../src/receiver/inbox-view.ts";
import { NOTHING, openReceiver } from "../receiver/open.ts";
import { bytes, envelope, signedHeaders } from "../receiver/sample.ts";

type BodyInit = NonNullable<RequestInit["body"]>;

const GOOD = bytes(envelope());

async function open(options: Partial<ReceiverOptions> = {}, path?: string) {
  const opened = await openReceiver(options);
  const handle = fetchReceiver(opened.receiver, { path });
  return { ...opened, handle, post: (body: BodyInit | null) => handle(signed(body)) };
}

/** A request signed for `GOOD`. */
function signed(body: BodyInit | null = GOOD as BodyInit, init: RequestInit = {}) {
  const headers = signedHeaders(GOOD);
  const request = { method: "POST", headers, body, duplex: "half", ...init } as const;
  return new Request("https://app.test/webhooks?x=1", request);
}

/** A body that is sent in pieces; `undefined` ends it, and without it, it never ends. */
function streamOf(...pieces: readonly (Uint8Array | undefined)[]) {
  const cancelled = vi.fn();
  const left = [...pieces];
  const stream = new ReadableStream({
    pull: (controller) => {
      if (left.length === 0) return new Promise<void>(() => {});
      const piece = left.shift();
      if (piece === undefined) controller.close();
      else controller.enqueue(piece);
      return undefined;
    },
    cancel: cancelled,
  });
  return { stream, cancelled };
}

it("an answer has no header of the connection, which is the runtime's own", async () => {
  const { receiver, handle } = await open();
  await receiver.close();
  const response = await handle(signed());
  expect(response.status).toBe(503);
  expect(Object.fromEntries(response.headers)).toMatchObject({ "retry-after": "5" });
  expect(response.headers.has("connection")).toBe(false);
});

describe("a request", () => {
  it.each([
    ["in one piece", () => GOOD],
    [
      "in many pieces",
      () => streamOf(...Array.from(GOOD, (byte) => new Uint8Array([byte])), undefined).stream,
    ],
  ])("%s is verified, kept byte for byte, and answered", async (_, body) => {
    const { post, receiver } = await open();
    const response = await post(body() as BodyInit);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ received: true, duplicate: false });
    const delivery = await inboxOf(receiver).delivery(1);
    expect(Buffer.from(delivery?.body ?? [])).toEqual(GOOD);
    expect(delivery).toMatchObject({ method: "POST", target: "/webhooks?x=1" });
  });

  it("on any path is the endpoint, unless a path is given; without a body it is 401", async () => {
    const { post } = await open();
    expect((await post(GOOD as BodyInit)).status).toBe(200);
    expect((await post(null)).status).toBe(401);
    expect((await (await open({}, "/webhooks/")).post(GOOD as BodyInit)).status).toBe(200);
    expect((await (await open({}, "/other")).post(GOOD as BodyInit)).status).toBe(404);
  });

  it.each([
    ["/webhooks?x=1", 200, "/webhooks?x=1"],
    ["webhooks", 200, "/webhooks"],
    ["", 404, undefined],
    ["//", 404, undefined],
    ["http://", 404, undefined],
    [undefined, 404, undefined],
  ])("whose URL is %j, as some platforms pass it, is answered", async (url, status, target) => {
    const { handle, receiver } = await open({}, "/webhooks");
    const { method, headers, body, signal } = signed();
    const request = { url, method, headers, body, signal, bodyUsed: false };
    expect((await handle(request as Request)).status).toBe(status);
    expect((await inboxOf(receiver).delivery(1))?.target).toBe(target);
  });

  it("without a signal, as of Azure Functions, is verified", async () => {
    const { handle } = await open();
    const { url, method, headers, body } = signed();
    const request = { url, method, headers, body, bodyUsed: false };
    expect((await handle(request as Request)).status).toBe(200);
  });

  it("with two signature headers, which arrive joined, is 401", async () => {
    const { handle } = await open();
    const request = signed();
    request.headers.append("x-service-signature", `${request.headers.get("x-service-signature")}`);
    expect((await handle(request)).status).toBe(401);
  });

  it("of HEAD is answered without a body", async () => {
    const { handle } = await open();
    const response = await handle(new Request("http://a/webhooks", { method: "HEAD" }));
    expect([response.status, response.body, response.headers.get("allow")]).toEqual([
      405,
      null,
      "POST",
    ]);
  });
});

describe("a body", () => {
  it("that other code has read is a mistake of the integrator: 500, and the fix in the log", async () => {
    const { handle, lines } = await open();
    const read = signed();
    const locked = signed();
    await read.text();
    locked.body?.getReader();
    for (const request of [read, locked]) expect((await handle(request)).status).toBe(500);
    expect(JSON.stringify(lines)).toContain(
      "before request.json(), text() or formData() is called",
    );
  });

  it("that announces too much is 413, and not read", async () => {
    const { handle } = await open({ bodyLimit: 10 });
    const { stream, cancelled } = streamOf();
    const headers = { ...signedHeaders(GOOD), "content-length": "11" };
    expect((await handle(signed(stream, { headers }))).status).toBe(413);
    expect(cancelled).toHaveBeenCalledOnce();
  });

  it("that turns out to be too large is 413, and the rest is cancelled", async () => {
    const { post, entries } = await open({ bodyLimit: 10 });
    const { stream, cancelled } = streamOf(new Uint8Array(6), new Uint8Array(6));
    expect((await post(stream as BodyInit)).status).toBe(413);
    expect(cancelled).toHaveBeenCalledOnce();
    expect(await entries()).toEqual([]);
  });

  it("that does not end is 408 when its time is up", async () => {
    const { post } = await open({ bodyTimeout: 20 });
    const { stream, cancelled } = streamOf(GOOD);
    expect((await post(stream as BodyInit)).status).toBe(408);
    expect(cancelled).toHaveBeenCalledOnce();
  });

  it("is not kept if its stream fails, or its sender goes away", async () => {
    const { handle, entries } = await open();
    await handle(signed(new ReadableStream({ pull: () => Promise.reject(new Error("reset")) })));
    const end = new AbortController();
    setTimeout(() => end.abort(), 5);
    await handle(signed(streamOf(GOOD).stream, { signal: end.signal }));
    expect(await entries()).toEqual([]);
  });

  it("that stalls makes room for others when all of them are too much", async () => {
    const limits = { bodyLimit: 300_000, unverifiedLimit: 300_000, bodyTimeout: 5000 };
    const { post } = await open(limits);
    const stalled = Array.from({ length: 6 }, () => post(streamOf(new Uint8Array(100_000)).stream));
    const answered = await Promise.race(stalled);
    expect(answered.status).toBe(408);
    expect((await post(GOOD as BodyInit)).status).toBe(200);
  });
});

describe("with the option drain", () => {
  it.each([undefined, {}, { params: {} }, { waitUntil: "no" }, "a context"])(
    "an acknowledged delivery is handled after its answer, under waitUntil if there is one: %j",
    async (given) => {
      const { receiver } = await open();
      const drain = vi.fn(async () => NOTHING);
      const receive = receiver.receive.bind(receiver);
      const handle = fetchReceiver({ receive, drain }, { drain: { budget: 2000 } });
      const context = {
        kept: [] as Promise<unknown>[],
        waitUntil(promise: Promise<unknown>) {
          this.kept.push(promise); // platforms need their `this`
        },
      };
      const passed = given === "a context" ? context : (given as object | undefined);
      expect((await handle(signed(), passed)).status).toBe(200);
      expect(drain).toHaveBeenCalledExactlyOnceWith({ budget: 2000 });
      expect((await handle(signed(bytes("{}") as BodyInit), passed)).status).toBe(401);
      expect(drain).toHaveBeenCalledOnce();
      expect(context.kept).toHaveLength(given === "a context" ? 1 : 0);
    },
  );

  it("a drain that fails is logged, and the answer stays 200", async () => {
    const { receiver, lines } = await open({ handlerTimeout: 1000 });
    const handle = fetchReceiver(receiver, { drain: { budget: 500 } });
    const kept: Promise<unknown>[] = [];
    const context = { waitUntil: (promise: Promise<unknown>) => void kept.push(promise) };
    expect((await handle(signed(), context)).status).toBe(200);
    await Promise.all(kept);
    expect(lines).toMatchObject([{ level: "error", message: "a drain failed" }]);
  });

  it("mistakes are refused at once", async () => {
    const { receiver } = await open();
    for (const drain of [{}, { budget: -1 }, 5]) {
      expect(() => fetchReceiver(receiver, { drain } as never)).toThrow(
        expect.objectContaining({ code: "option_invalid" }),
      );
    }
    const partial = { receive: vi.fn() };
    expect(() => fetchReceiver(partial, { drain: { budget: 1000 } })).toThrow(
      /without the methods drain/,
    );
  });
});

it("works in an app of Hono's, below its middleware", async () => {
  const { handle } = await open();
  const app = new Hono();
  app.post("/api/hooks", (context) => handle(context.req.raw));
  const request = { method: "POST", headers: signedHeaders(GOOD), body: GOOD as BodyInit };
  expect((await app.request("/api/hooks", request)).status).toBe(200);
});

it.each([[{}], [{ path: "webhooks" }], [{ path: "/a?b" }]])(
  "mistakes are refused at once: %j",
  async (options) => {
    const { receiver } = await open();
    const create = () =>
      "path" in options
        ? fetchReceiver(receiver, options)
        : fetchReceiver(options as typeof receiver);
    expect(create).toThrow(expect.objectContaining({ code: "option_invalid" }));
  },
);
