import { describe, expect, it, vi } from "vitest";
import type { LambdaRequest } from "../../src/adapters/lambda.ts";
import type { DrainReport, ReceiverOptions } from "../../src/entries/index.ts";
import { lambdaDrain, lambdaReceiver } from "../../src/entries/lambda.ts";
import { inboxOf } from "../../src/receiver/inbox-view.ts";
import type { DrainOptions } from "../../src/receiver/options/drain-options.ts";
import { EVENTS, type GatewayRequest } from "../receiver/lambda-events.ts";
import { makeReceiver, NOTHING, openReceiver } from "../receiver/open.ts";
import {
  bytes,
  envelope,
  freshEnvelope,
  inboxFile,
  keptBytes,
  signedHeaders,
} from "../receiver/sample.ts";

const GOOD = bytes(envelope({ data: { id: "payment_é😀" } }));
const SOURCES = Object.entries(EVENTS);

/** A signed request, as a gateway receives it. */
function request(parts: Partial<GatewayRequest> = {}): GatewayRequest {
  const headers = Object.fromEntries(
    Object.entries(signedHeaders(GOOD)).map(([name, text]) => [name, [text]]),
  );
  return {
    method: "POST",
    target: "/webhooks",
    body: GOOD,
    ...parts,
    headers: { ...headers, ...parts.headers },
  };
}

async function open(options: Partial<ReceiverOptions> = {}, path?: string) {
  const opened = await openReceiver(options);
  return { ...opened, handle: lambdaReceiver(opened.receiver, { path }) };
}

describe.each(SOURCES)("an event of %s", (source, toEvent) => {
  it("is verified, kept byte for byte with its query, and answered in its format", async () => {
    const { handle, receiver } = await open();
    const target = "/webhooks?a=1&b=%C3%A9%26&c=3";
    const answer = await handle(toEvent(request({ target })));
    const { headers, multiValueHeaders, ...rest } = answer;
    const isMultiple = source.includes("multi-value");
    expect(isMultiple ? multiValueHeaders : headers).toEqual({
      "Content-Type": isMultiple ? ["application/json"] : "application/json",
    });
    expect(isMultiple ? headers : multiValueHeaders).toBeUndefined();
    expect(rest).toEqual({
      statusCode: 200,
      ...(source.includes("load balancer") && { statusDescription: "200 OK" }),
      body: expect.stringContaining('"received":true'),
      isBase64Encoded: false,
    });
    expect(await keptBytes(inboxOf(receiver))).toEqual(GOOD);
    expect(await inboxOf(receiver).delivery(1)).toMatchObject({ method: "POST", target });
  });

  it("with a body in base64 is verified over its bytes", async () => {
    const { handle, receiver } = await open();
    const headers = { "content-type": ["application/octet-stream"] };
    const event = toEvent(request({ headers }));
    expect(JSON.stringify(event)).toMatch(/"is_?base64_?encoded":true/i);
    expect((await handle(event)).statusCode).toBe(200);
    expect(await keptBytes(inboxOf(receiver))).toEqual(GOOD);
  });

  it("with another body than the signed one, none, or two signatures is 401; too large a one is 413", async () => {
    const { handle, entries } = await open({ bodyLimit: GOOD.length });
    const answer = await handle(toEvent(request({ body: GOOD.subarray(1) })));
    const error = { type: "unauthorized" };
    expect([answer.statusCode, JSON.parse(answer.body)]).toMatchObject([401, { error }]);
    expect((await handle(toEvent(request({ body: Buffer.alloc(0) })))).statusCode).toBe(401);
    const body = Buffer.alloc(GOOD.length + 1);
    expect((await handle(toEvent(request({ body })))).statusCode).toBe(413);
    const signature = request().headers["x-service-signature"] ?? [];
    const headers = { "x-service-signature": [...signature, ...signature] };
    const twice = await handle(toEvent(request({ headers })));
    // a load balancer passes on the last of two headers
    expect(twice.statusCode).toBe(source === "a load balancer" ? 200 : 401);
    expect(await entries()).toHaveLength(source === "a load balancer" ? 1 : 0);
  });

  it("for another path is 404 if the endpoint has a path, and any path is the endpoint otherwise; HEAD is 405 without a body", async () => {
    const event = toEvent(request({ target: "/elsewhere" }));
    const { handle } = await open({}, "/webhooks");
    expect((await handle(event)).statusCode).toBe(404);
    expect((await (await open()).handle(event)).statusCode).toBe(200);
    const answer = await handle(toEvent(request({ method: "HEAD" })));
    expect([answer.statusCode, answer.body]).toEqual([405, ""]);
    expect(JSON.stringify(answer)).toContain('"Allow":');
  });

  it("is kept with a repeated parameter and one without a value as far as it has them", async () => {
    const { handle, receiver } = await open();
    await handle(toEvent(request({ target: "/webhooks?a=1&a=2&b" })));
    const target = (await inboxOf(receiver).delivery(1))?.target;
    expect(target).toMatch(/^\/webhooks\?(?:a=1&)?a=2&b=?$/);
  });
});

it("the names of headers may be in any case", async () => {
  const { handle, receiver } = await open();
  const [signature = ""] = request().headers["x-service-signature"] ?? [];
  const event = EVENTS["a REST API"](request());
  const multiValueHeaders = {
    "X-Service-Signature": [signature],
    "Content-Encoding": ["identity"],
  };
  expect((await handle({ ...event, multiValueHeaders })).statusCode).toBe(200);
  expect((await inboxOf(receiver).delivery(1))?.headers).toEqual({
    "x-service-signature": signature,
    "content-encoding": "identity",
  });
  const twice = { "X-Service-Signature": [signature], "x-service-signature": [signature] };
  expect((await handle({ ...event, multiValueHeaders: twice })).statusCode).toBe(401);
});

it("an event without any headers, as the console's test sends it, is 401", async () => {
  const { handle } = await open();
  const event = { ...EVENTS["a REST API"](request()), headers: null, multiValueHeaders: null };
  expect((await handle(event)).statusCode).toBe(401);
});

it.each([{}, null, undefined, { accept: undefined }])(
  "the fields with one value of each name are used if those with all values lack it: %j",
  async (lacking) => {
    const { handle, receiver } = await open();
    const event = {
      ...EVENTS["a REST API"](request({ target: "/webhooks?a=1" })),
      multiValueHeaders: lacking,
      multiValueQueryStringParameters: lacking && {},
    } as LambdaRequest;
    expect((await handle(event)).statusCode).toBe(200);
    expect((await inboxOf(receiver).delivery(1))?.target).toBe("/webhooks?a=1");
  },
);

it("a body in base64 whose flag was lost is verified over its bytes", async () => {
  const { handle, receiver, entries } = await open();
  const whole = EVENTS["a REST API"](request());
  expect((await handle({ ...whole, isBase64Encoded: false })).statusCode).toBe(200);
  expect(await keptBytes(inboxOf(receiver))).toEqual(GOOD);
  const text = { ...whole, body: GOOD.toString(), isBase64Encoded: false };
  expect((await handle(text)).statusCode).toBe(200);
  for (const body of ["AAAA", "e", "eyJhIjox", "", "eyJ*"])
    expect((await handle({ ...whole, body, isBase64Encoded: false })).statusCode).toBe(401);
  expect(await entries()).toHaveLength(1);
});

it("a body in base64 whose flag was lost has the limit of its bytes", async () => {
  const { handle } = await open({ bodyLimit: GOOD.length });
  const event = { ...EVENTS["a REST API"](request()), isBase64Encoded: false };
  expect((await handle(event)).statusCode).toBe(200);
});

it("a body that middleware has parsed is 500, and the log names the fix", async () => {
  const { handle, lines } = await open();
  const event = {
    ...EVENTS["an HTTP API"](request()),
    body: envelope(),
  } as unknown as LambdaRequest;
  expect((await handle(event)).statusCode).toBe(500);
  expect(lines).toMatchObject([{ level: "error", fields: { code: "body_already_parsed" } }]);
  expect(JSON.stringify(lines)).toContain("remove middleware that parses the body");
});

it("an answer in bytes is sent in base64", async () => {
  const body = Buffer.from([0xff, 0]);
  const handle = lambdaReceiver({
    receive: async () => ({ status: 200, headers: { "Set-Cookie": ["a", "b"] }, body }),
  });
  expect(await handle(EVENTS["an HTTP API"](request()))).toEqual({
    statusCode: 200,
    headers: { "Set-Cookie": "a, b" },
    body: body.toString("base64"),
    isBase64Encoded: true,
  });
});

it("an event that is no request is rejected with the fix", async () => {
  const { handle } = await open();
  const schedule = { source: "aws.events", "detail-type": "Scheduled Event", detail: {} };
  for (const event of [schedule, { Records: [] }, undefined]) {
    await expect(handle(event as unknown as LambdaRequest)).rejects.toMatchObject({
      code: "option_invalid",
      message: expect.stringContaining("lambdaDrain"),
    });
  }
});

describe("draining in a function", () => {
  const left = (ms: number) => ({ getRemainingTimeInMillis: () => ms });

  /** A receiver whose drains are only counted. */
  async function opened() {
    const { receiver } = await openReceiver();
    const drain = vi.fn(async (_: DrainOptions): Promise<DrainReport> => NOTHING);
    return { receive: receiver.receive.bind(receiver), drain };
  }

  it("happens before an acknowledged delivery is answered, if there is time", async () => {
    const receiver = await opened();
    const handle = lambdaReceiver(receiver, { drain: { budget: 5000 } });
    const event = EVENTS["an HTTP API"](request());
    expect((await handle(event, left(5999))).statusCode).toBe(200);
    expect(receiver.drain).not.toHaveBeenCalled();
    expect((await handle(event, left(6000))).statusCode).toBe(200);
    expect((await handle(event)).statusCode).toBe(200);
    expect(receiver.drain.mock.calls).toEqual([[{ budget: 5000 }], [{ budget: 5000 }]]);
    expect((await handle({ ...event, body: "{}" })).statusCode).toBe(401);
    expect(receiver.drain).toHaveBeenCalledTimes(2);
    receiver.drain.mockRejectedValue(new Error("the inbox is away"));
    expect((await handle(event)).statusCode).toBe(200);
  });

  it("on a schedule takes the time that the function has, less a second, unless told otherwise", async () => {
    const receiver = await opened();
    expect(await lambdaDrain(receiver)({ source: "aws.events" }, left(60_000.5))).toEqual(NOTHING);
    await lambdaDrain(receiver, { budget: 5000 })({}, left(60_000));
    await lambdaDrain(receiver, { budget: 5000 })({}, left(4000));
    await lambdaDrain(receiver, { budget: 5000 })();
    expect(receiver.drain.mock.calls.map(([{ budget }]) => budget)).toEqual([
      59_000, 5000, 3000, 5000,
    ]);
  });

  it("runs what was kept, with the receiver not started", async () => {
    const inbox = inboxFile();
    const options = { inbox, clock: Date.now, handlerTimeout: 1000 };
    const first = await open({ ...options, concurrency: 1, drainTimeout: 0 });
    first.receiver.on("*", () => new Promise(() => {}));
    const body = bytes(freshEnvelope({ timestamp: new Date().toISOString() }));
    const headers = { "x-service-signature": [signedHeaders(body)["x-service-signature"] ?? ""] };
    await first.handle(EVENTS["a function URL"](request({ body, headers })));
    await first.receiver.close();
    const { receiver } = makeReceiver(options);
    receiver.on("*", () => "ok");
    expect(await lambdaDrain(receiver)({}, left(10_000))).toEqual({ ...NOTHING, handled: 1 });
  });

  it.each([[{ budget: 0 }], [{ budget: "5s" }], [{ budgets: 1 }], [5]])(
    "mistakes are refused at once: %j",
    async (options) => {
      const receiver = await opened();
      expect(() => lambdaDrain(receiver, options as never)).toThrow(
        expect.objectContaining({ code: "option_invalid" }),
      );
      expect(() => lambdaDrain({} as never)).toThrow(/without the methods drain/);
    },
  );
});

it.each([[{}], [{ path: "webhooks" }], [{ path: "/a?b" }]])(
  "mistakes are refused at once: %j",
  async (options) => {
    const { receiver } = await open();
    const create = () =>
      "path" in options
        ? lambdaReceiver(receiver, options)
        : lambdaReceiver(options as typeof receiver);
    expect(create).toThrow(expect.objectContaining({ code: "option_invalid" }));
  },
);
