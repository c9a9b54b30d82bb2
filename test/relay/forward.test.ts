import type { ServerResponse } from "node:http";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createReceiver, type Handler, sign } from "../../src/entries/index.ts";
import { inboxOf } from "../../src/receiver/inbox-view.ts";
import { BODY_TIMEOUT, type ForwardOptions, forwardTo } from "../../src/relay/forward.ts";
import { AT, openTarget, SECRET, savedDelivery } from "./sample.ts";

/** A receiver that forwards everything. */
async function openForwarder(target: URL, options?: ForwardOptions) {
  const nothing = () => {};
  const receiver = createReceiver({
    secret: SECRET,
    inbox: "memory:",
    log: { debug: nothing, info: nothing, warn: nothing, error: nothing },
    clock: () => AT,
    poll: 2,
    drainTimeout: 50,
    retry: { attempts: Number.POSITIVE_INFINITY, delay: 0, maxDelay: 0 },
  });
  receiver.on("*", forwardTo(target, options));
  await receiver.start();
  onTestFinished(() => receiver.close());
  const entry = async () => (await inboxOf(receiver).list({}))[0];
  const until = (state: string) =>
    vi.waitFor(async () => expect(await entry()).toMatchObject({ state }), {
      timeout: 5000,
      interval: 3,
    });
  return { receiver, entry, until };
}

/** A signed delivery that no parser would reproduce. */
function delivery() {
  const body = Buffer.from(
    '\uFEFF{ "event":"payment.received",\r\n"timestamp":"2026-01-15T10:00:00Z", "data":{"id":1e2,"a":"\\u00e9"},' +
      '"webhook":{"url":"http://127.0.0.1:9/","id":"wh_1"} }\n',
  );
  const headers = {
    "content-type": "application/json; charset=utf-8",
    "x-service-signature": sign(body, SECRET),
    "x-request": "r-1",
    host: "public.test",
    "content-length": String(body.length),
  };
  return savedDelivery({ body, headers });
}

describe("forwardTo", () => {
  it("[case 87] forwards the same bytes with the same signature, only to the target", async () => {
    const { url, got } = await openTarget();
    const { receiver, until } = await openForwarder(url);
    const sent = delivery();
    expect(await receiver.accept(sent)).toMatchObject({ type: "accepted" });
    await until("handled");
    expect(got).toHaveLength(1);
    expect(got[0]?.body).toEqual(sent.body);
    expect(got[0]).toMatchObject({
      method: "POST",
      url: "/hooks?a=b",
      headers: {
        host: url.host,
        "content-type": "application/json; charset=utf-8",
        "x-service-signature": sent.headers["x-service-signature"],
        "x-request": "r-1",
      },
    });
  });

  it.each([
    ["/hooks", "/hooks?code=a%2Fb'&x"],
    ["/hooks?", "/hooks?code=a%2Fb'&x"],
    ["/hooks?own=1", "/hooks?own=1"],
    ["", "/?code=a%2Fb'&x"],
  ])(
    "sends the delivery's query, letter for letter, unless the target %j has one",
    async (path, expected) => {
      const { url, got } = await openTarget();
      const { receiver, until } = await openForwarder(new URL(path, url.origin));
      await receiver.accept({ ...delivery(), target: "/webhooks/?code=a%2Fb'&x" });
      await until("handled");
      expect(got.map(({ url: asked }) => asked)).toEqual([expected]);
    },
  );

  it("does not put the delivery's query into its errors", async () => {
    const { url } = await openTarget((response) => void response.writeHead(400).end());
    const { receiver } = await openForwarder(new URL("/hooks", url.origin));
    await receiver.accept({ ...delivery(), target: "/webhooks?code=hunter2" });
    const attempts = await vi.waitFor(
      async () => {
        const found = await inboxOf(receiver).attempts(1);
        expect(found.length).toBeGreaterThan(0);
        return found;
      },
      { timeout: 5000, interval: 3 },
    );
    expect(JSON.stringify(attempts)).not.toContain("hunter2");
  });

  it("is retried until the target answers 2xx, with the same bytes each time", async () => {
    const statuses = [500, 302, 404, 410, 204];
    const { url, got } = await openTarget((response) => {
      response.writeHead(statuses[got.length - 1] ?? 500, { location: "/" }).end("not yet");
    });
    const { receiver, until, entry } = await openForwarder(url);
    const sent = delivery();
    await receiver.accept(sent);
    await until("handled");
    expect(got).toHaveLength(5);
    for (const { body, url: path } of got) {
      expect(body).toEqual(sent.body);
      expect(path).toBe("/hooks?a=b");
    }
    expect(await entry()).toMatchObject({ attempts: 5 });
    const attempts = await inboxOf(receiver).attempts(1);
    expect(attempts.map(({ outcome }) => outcome)).toEqual([
      "error",
      "error",
      "error",
      "error",
      "ok",
    ]);
    expect(attempts[0]?.error).toContain("answered 500: not yet");
  });

  it("is retried while nothing listens, until the app is up", async () => {
    const early = await openTarget();
    await early.close();
    const { receiver, until, entry } = await openForwarder(early.url);
    await receiver.accept(delivery());
    await vi.waitFor(async () => expect((await entry())?.attempts).toBeGreaterThan(2), {
      timeout: 5000,
    });
    const { createServer } = await import("node:http");
    const server = createServer((_, response) => void response.end());
    await new Promise<void>((resolve) =>
      server.listen(Number(early.url.port), "127.0.0.1", resolve),
    );
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
    });
    await until("handled");
    expect((await inboxOf(receiver).attempts(1))[0]?.error).toContain("connection refused");
  });

  it("names the code of a refusal, with only the beginning of the answer", async () => {
    const { url } = await openTarget(
      (response) => void response.writeHead(500).end("x".repeat(5000)),
    );
    const forward = forwardTo(url);
    const context = { delivery: delivery(), signal: new AbortController().signal, note: () => {} };
    const failed = await Promise.resolve(forward({} as never, context as never)).catch(
      (thrown: Error) => thrown,
    );
    expect(failed).toMatchObject({ code: "target_refused" });
    expect((failed as Error).message.length).toBeLessThan(700);
  });

  it("keeps each answer with its attempt: the status, then the body, of good and bad ones", async () => {
    const answers = [
      { status: 422, body: "amount: not a number\nat line 3" },
      { status: 201, body: "" },
    ];
    const { url } = await openTarget((response) => {
      const { status = 500, body } = answers.shift() ?? {};
      response.writeHead(status).end(body);
    });
    const { receiver, until } = await openForwarder(url);
    await receiver.accept(delivery());
    await until("handled");
    expect((await inboxOf(receiver).attempts(1)).map(({ note }) => note)).toEqual([
      "422 Unprocessable Entity\namount: not a number\nat line 3",
      "201 Created",
    ]);
  });

  it.each([
    ["cut off", "200 OK, body cut off", (response: ServerResponse) => response.socket?.destroy()],
    ["endless", "200 OK, body not complete in time", () => {}],
  ] as const)(
    "is done if the target answers 200 with a body that is %s",
    async (_, headline, spoil) => {
      const { url, got } = await openTarget((response) => {
        response.writeHead(200).write("and then");
        setTimeout(() => spoil(response), 20);
      });
      const { receiver, until } = await openForwarder(url, { bodyTimeout: 100 });
      await receiver.accept(delivery());
      await until("handled");
      expect(got).toHaveLength(1);
      expect((await inboxOf(receiver).attempts(1)).map(({ note }) => note)).toEqual([
        `${headline}\nand then`,
      ]);
    },
  );

  it("waits 5 seconds for a body, unless it is told otherwise", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const { url } = await openTarget((response) => response.writeHead(200).write("and then"));
    const noted: unknown[] = [];
    const handler = forwardTo(url, {
      timeout: 3_600_000,
      onNoted: (answer) => noted.push(answer.cut),
    });
    const context = {
      delivery: delivery(),
      signal: new AbortController().signal,
      note: () => {},
      seq: 1,
    };
    const begun = vi.getTimerCount();
    const done = handler({} as never, context as never);
    // those of the answer and of its body
    while (vi.getTimerCount() < begun + 2) await new Promise(setImmediate);
    vi.advanceTimersByTime(BODY_TIMEOUT - 1);
    await new Promise(setImmediate);
    expect(noted).toEqual([]);
    vi.advanceTimersByTime(1);
    await done;
    expect(noted).toEqual(["overdue"]);
  });

  it("explains a redirect, with its address, in the error and the note", async () => {
    const { url } = await openTarget((response) =>
      response.writeHead(308, { location: "/hooks/?token=hunter2" }).end("<html>Redirecting"),
    );
    const { receiver } = await openForwarder(url);
    await receiver.accept(delivery());
    const record = await vi.waitFor(async () => {
      const [first] = await inboxOf(receiver).attempts(1);
      expect(first).toBeDefined();
      return first;
    });
    const shown = new URL("/hooks/?token=…", url.origin).href.replace("%E2%80%A6", "…");
    expect(record?.error).toContain(`answered 308, Location: ${shown}: the app wants a slash`);
    expect(record?.note).toContain(`308 Permanent Redirect, Location: ${shown}\n`);
    expect(JSON.stringify(record)).not.toContain("hunter2");
  });

  it("says which address answered for localhost", async () => {
    const { url } = await openTarget((response) => void response.writeHead(404).end());
    url.hostname = "localhost";
    const notes: string[] = [];
    const context = { delivery: delivery(), note: (text: string) => notes.push(text) };
    const { signal } = new AbortController();
    const failed = Promise.resolve(forwardTo(url)({} as never, { ...context, signal } as never));
    await expect(failed).rejects.toThrow("(127.0.0.1) answered 404");
    expect(notes).toEqual(["404 Not Found, from 127.0.0.1"]);
  });

  it("gives up at once when the handler's signal is aborted", async () => {
    const { url } = await openTarget(() => {});
    const aborter = new AbortController();
    const context = { delivery: delivery(), signal: aborter.signal };
    const forwarding = Promise.resolve(forwardTo(url)({} as never, context as never));
    const reason = new Error("time is over");
    setTimeout(() => aborter.abort(reason), 20);
    await expect(forwarding).rejects.toBe(reason);
  });

  it("keeps at most 2 KiB of an answer", async () => {
    const { url } = await openTarget((response) => void response.end("é€".repeat(50_000)));
    const { receiver, until } = await openForwarder(url);
    await receiver.accept(delivery());
    await until("handled");
    const [record] = await inboxOf(receiver).attempts(1);
    expect(Buffer.byteLength(record?.note ?? "")).toBeLessThanOrEqual(2048);
    expect(record?.note).toMatch(/^200 OK\né€.*…$/);
  });

  it.each([
    [429, "7", 7000],
    [503, new Date(AT + 90_000).toUTCString(), 90_000],
    [500, undefined, undefined],
    [500, "0", undefined],
    [503, new Date(AT - 90_000).toUTCString(), undefined],
  ])("with status %d and Retry-After %s asks to wait that long", async (status, header, wait) => {
    const headers = header === undefined ? {} : { "retry-after": header };
    const { url } = await openTarget((response) => void response.writeHead(status, headers).end());
    const failed = await forwarding(forwardTo(url, { clock: () => AT })).catch(
      (thrown: unknown) => thrown,
    );
    expect(failed).toMatchObject({ code: "target_refused", retryAfter: wait });
  });

  it("waits as long as the target asks before it retries", async () => {
    const { url, got } = await openTarget((response) =>
      response.writeHead(503, { "retry-after": "120" }).end(),
    );
    const { receiver, entry } = await openForwarder(url);
    await receiver.accept(delivery());
    await vi.waitFor(async () =>
      expect(await entry()).toMatchObject({ attempts: 1, state: "failing" }),
    );
    const wait = ((await entry())?.runAt ?? 0) - AT;
    expect(wait).toBeGreaterThan(60_000); // a date in the header has no parts of a second
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(got).toHaveLength(1);
  });

  it("reports each answer and each failure with its entry's number", async () => {
    const told: unknown[] = [];
    const options = {
      onAnswer: (seq: number, { status }: { status: number }) => void told.push([seq, status]),
      onFailure: (seq: number, thrown: unknown) => void told.push([seq, thrown]),
    };
    const { url, close } = await openTarget((response) => void response.writeHead(500).end());
    await forwarding(forwardTo(url, options)).catch(() => {});
    await close();
    await forwarding(forwardTo(url, options)).catch(() => {});
    expect(told).toEqual([
      [5, 500],
      [5, expect.objectContaining({ code: "target_unreachable" })],
    ]);
  });
});

/** Runs a forward as a handler of entry 5. */
async function forwarding(forward: Handler): Promise<unknown> {
  const { signal } = new AbortController();
  return forward({} as never, { delivery: delivery(), signal, note: () => {}, seq: 5 } as never);
}

describe("the error of a forward", () => {
  /** What the handler throws if the target reacts in this way. */
  async function thrownBy(
    answer: (response: ServerResponse) => void,
    options: Parameters<typeof forwardTo>[1] = {},
  ): Promise<Record<string, unknown>> {
    const { url } = await openTarget(answer);
    return thrownFor(url, options);
  }

  async function thrownFor(
    url: URL,
    options: Parameters<typeof forwardTo>[1] = {},
  ): Promise<Record<string, unknown>> {
    const context = {
      delivery: delivery(),
      signal: new AbortController().signal,
      note: () => {},
      seq: 1,
    };
    try {
      await forwardTo(url, options)({} as never, context as never);
      return {};
    } catch (thrown) {
      return { ...(thrown as object) };
    }
  }

  it("says that the target is away if nothing listens there", async () => {
    const { url, close } = await openTarget();
    await close();
    expect(await thrownFor(url)).toMatchObject({ code: "target_unreachable", away: true });
  });

  const reactions: readonly (readonly [string, (response: ServerResponse) => void])[] = [
    ["ends the connection", (response) => void response.destroy()],
    ["does not answer in time", () => {}],
    ...[429, 502, 503, 504].map((status): [string, (response: ServerResponse) => void] => [
      `answers ${status}`,
      (response) => void response.writeHead(status).end(),
    ]),
  ];

  it.each(reactions)("says that the target is perhaps away if it %s", async (_, answer) => {
    expect(await thrownBy(answer, { timeout: 100 })).toMatchObject({ away: "perhaps" });
  });

  it.each([301, 400, 401, 404, 408, 409, 425, 500])("does not if it answers %d", async (status) => {
    const error = await thrownBy((response) => void response.writeHead(status).end());
    expect(error).toMatchObject({ code: "target_refused" });
    expect(error).not.toHaveProperty("away");
    expect(error).not.toHaveProperty("final");
  });

  it.each([
    ...[400, 401, 403, 404, 410, 422, 451].map((status) => [status, true] as const),
    ...[302, 408, 409, 425, 429, 500, 503].map((status) => [status, undefined] as const),
  ])("with giveUpOn 4xx is final for %d: %s", async (status, final) => {
    const error = await thrownBy((response) => void response.writeHead(status).end(), {
      giveUpOn: "4xx",
    });
    expect(error.final).toBe(final);
  });
});
