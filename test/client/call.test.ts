import { inspect } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DEFAULT_CLIENT_RETRY } from "../../src/client/client-options.ts";
import {
  clientOf,
  errorOf,
  failure,
  json,
  KEY,
  openService,
  SUBSCRIPTION,
  sampleProperty,
} from "./service.ts";

const EMPTY = json(200, { data: [], meta: { total: 0, page: 1, per_page: 20 } });

describe("a request", () => {
  it("sends the key as Bearer, and declares JSON", async () => {
    const service = await openService();
    const client = clientOf(service);
    await client.properties.list();
    await client.webhooks.create(SUBSCRIPTION);
    for (const { headers } of service.requests) {
      expect(headers).toMatchObject({
        authorization: `Bearer ${KEY}`,
        "content-type": "application/json",
      });
    }
    expect(JSON.parse(service.requests[1]?.body ?? "")).toEqual(SUBSCRIPTION);
  });

  it("calls for a new access token at each attempt", async () => {
    const service = await openService({ key: "second" });
    service.next(failure(500));
    const tokens = ["first", "second"];
    const client = clientOf(service, {
      apiKey: undefined,
      accessToken: async () => tokens.shift() ?? "",
    });
    expect(client.environment).toBe("unknown");
    await client.properties.list();
    expect(service.requests.map(({ headers }) => headers.authorization)).toEqual([
      "Bearer first",
      "Bearer second",
    ]);
  });

  it("passes on errors of the token function", async () => {
    const service = await openService();
    const broken = new Error("no token today");
    const client = clientOf(service, {
      apiKey: undefined,
      accessToken: () => Promise.reject(broken),
    });
    await expect(client.properties.list()).rejects.toBe(broken);
    expect(service.requests).toEqual([]);
  });

  it("does not follow a redirect, which would send the key elsewhere", async () => {
    const service = await openService();
    const trap = await openService();
    service.next(
      (response) => void response.writeHead(307, { location: `${trap.url}/v1/properties` }).end(),
    );
    const error = await errorOf(clientOf(service).properties.list());
    expect(error).toMatchObject({ code: "service_answer_invalid", status: 307, attempts: 1 });
    expect(trap.requests).toEqual([]);
  });
});

describe("a response that is not 2xx", () => {
  it.each([
    [400, "service_refused"],
    [401, "service_unauthorized"],
    [403, "service_refused"],
    [404, "service_refused"],
    [422, "service_refused"],
  ])(
    "with status %i is an error with type, message and field, and is not retried",
    async (status, code) => {
      const service = await openService();
      service.next(
        failure(status, { type: "invalid_request", message: "No such field.", field: "fields" }),
      );
      const error = await errorOf(clientOf(service).properties.list());
      expect(error).toMatchObject({
        code,
        status,
        type: "invalid_request",
        field: "fields",
        attempts: 1,
      });
      expect(error.serviceMessage).toBe("No such field.");
      expect(error.mayHaveHappened).toBe(false);
      expect(service.requests).toHaveLength(1);
    },
  );

  it.each([
    ["no body", ""],
    ["a page of a proxy", "<html>Bad gateway</html>"],
    ["JSON of another form", '{"error":"no"}'],
    ["parts of other types", '{"error":{"type":1,"message":null,"field":[]}}'],
  ])("keeps its status even with %s", async (_, body) => {
    const service = await openService();
    service.next((response) => void response.writeHead(400).end(body));
    const error = await errorOf(clientOf(service).properties.list());
    expect(error).toMatchObject({ code: "service_refused", status: 400 });
    expect([error.type, error.field, error.serviceMessage]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it.each([429, 500])(
    "with status %i is retried with exponential back-off until it succeeds",
    async (status) => {
      const service = await openService();
      service.next(failure(status), failure(status), failure(status));
      const client = clientOf(service);
      expect((await client.properties.list()).data).toEqual([]);
      expect(service.requests).toHaveLength(4);
      expect(client.delays).toEqual([500, 1000, 2000]);
    },
  );

  it.each([
    [429, "service_rate_limited"],
    [500, "service_failed"],
  ])("with status %i each time is given up after the allowed attempts", async (status, code) => {
    const service = await openService();
    service.next(...Array.from({ length: 9 }, () => failure(status)));
    const error = await errorOf(clientOf(service).properties.list());
    expect(error).toMatchObject({ code, status, attempts: DEFAULT_CLIENT_RETRY.attempts });
    expect(service.requests).toHaveLength(DEFAULT_CLIENT_RETRY.attempts);
  });

  it("is retried after Retry-After plus the back-off", async () => {
    const service = await openService();
    const now = Date.parse("2026-01-15T10:00:00Z");
    service.next(
      failure(429, {}, { "retry-after": "7" }),
      failure(429, {}, { "retry-after": "Thu, 15 Jan 2026 10:00:09 GMT" }),
      failure(429, {}, { "retry-after": "soon" }),
    );
    const client = clientOf(service, { clock: () => now });
    await client.properties.list();
    expect(client.delays).toEqual([7500, 10_000, 2000]);
  });

  it("is given up at once if the service asks for a longer wait than allowed", async () => {
    const service = await openService();
    service.next(failure(429, {}, { "retry-after": "61" }));
    const client = clientOf(service);
    const error = await errorOf(client.properties.list());
    expect(error).toMatchObject({ code: "service_rate_limited", retryAfter: 61_000, attempts: 1 });
    expect(client.delays).toEqual([]);
  });

  it.each([
    [429, "3600", "asks to wait 3600 s"],
    [500, "Thu, 15 Jan 2026 11:00:00 GMT", "asks to wait 3600 s"],
    [429, "86401", "asks to wait 86401 s"],
  ])(
    "says how long the service asks to wait if that is too long (%i, %s)",
    async (status, header, text) => {
      const service = await openService();
      service.next(failure(status, {}, { "retry-after": header }));
      const client = clientOf(service, { clock: () => Date.parse("2026-01-15T10:00:00Z") });
      const { message } = await errorOf(client.properties.list());
      expect(message).toContain(text);
      expect(message).toContain("at most 60 s (retry.maxDelay)");
    },
  );

  it("does not say so if it waits, or would not be retried", async () => {
    const service = await openService();
    const messages: string[] = [];
    service.next(
      failure(429, {}, { "retry-after": "60" }),
      failure(400, {}, { "retry-after": "3600" }),
    );
    const client = clientOf(service, { onRetry: ({ error }) => messages.push(error.message) });
    messages.push((await errorOf(client.properties.list())).message);
    expect(messages).toHaveLength(2);
    for (const message of messages) expect(message).not.toContain("asks to wait");
  });

  it("has delays between zero and the full back-off, never above the cap", async () => {
    const service = await openService();
    const draw = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    await fc.assert(
      fc.asyncProperty(draw, async (random) => {
        service.next(failure(500), failure(500), failure(500));
        const retry = { maxDelay: 800 };
        const client = clientOf(service, { random: () => random, retry });
        await client.properties.list();
        const full = [500, 800, 800];
        expect(client.delays).toEqual(full.map((delay) => Math.round(delay * (1 - random))));
      }),
      { numRuns: 20 },
    );
  });

  it("is reported before each wait, with an error that has the number of attempts", async () => {
    const service = await openService();
    service.next(failure(429), failure(500), EMPTY);
    const told: unknown[] = [];
    await clientOf(service, {
      onRetry: ({ error, delay }) => told.push([error.status, error.attempts, delay]),
    }).properties.list();
    expect(told).toEqual([
      [429, 1, 500],
      [500, 2, 1000],
    ]);
  });
});

describe("a caller that aborts", () => {
  it("ends a request in progress with the caller's own reason", async () => {
    const service = await openService();
    const controller = new AbortController();
    const reason = new Error("enough");
    service.next(() => controller.abort(reason));
    await expect(clientOf(service).properties.list({ signal: controller.signal })).rejects.toBe(
      reason,
    );
    expect(service.requests).toHaveLength(1);
  });

  it("ends a wait between two attempts, with real timers", async () => {
    const service = await openService();
    service.next(failure(429, {}, { "retry-after": "50" }));
    const controller = new AbortController();
    const reason = new Error("enough");
    const client = clientOf(service, { sleep: undefined, onRetry: () => controller.abort(reason) });
    await expect(client.properties.list({ signal: controller.signal })).rejects.toBe(reason);
    expect(service.requests).toHaveLength(1);
  });

  it("sends nothing if it aborted before", async () => {
    const service = await openService();
    const signal = AbortSignal.abort(new Error("never mind"));
    await expect(clientOf(service).webhooks.create({ ...SUBSCRIPTION, signal })).rejects.toThrow(
      "never mind",
    );
    expect(service.requests).toEqual([]);
  });
});

describe("a key", () => {
  it("is in no error, even if the service repeats it", async () => {
    const service = await openService();
    const message = `Bad key ${KEY} and secret whsec-hush, or sk_live_another`;
    service.next(failure(400, { message, type: KEY, field: "whsec-hush" }));
    const error = await errorOf(clientOf(service).webhooks.create(SUBSCRIPTION));
    const shown = `${inspect(error, { depth: 9, showHidden: true })} ${JSON.stringify(error)} ${error.stack}`;
    expect(shown).not.toMatch(/4f6dKq|whsec-hush|another/);
    expect(error.serviceMessage).toContain("[redacted]");
  });

  it("is not revealed by printing or serialising a client", async () => {
    const client = clientOf(await openService({ properties: [sampleProperty(1)] }));
    expect(inspect(client, { depth: 9, showHidden: true }) + JSON.stringify(client)).not.toContain(
      "4f6dKq",
    );
    expect((await client.properties.list()).data).toHaveLength(1);
  });
});
