import { inspect } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ClientOptions } from "../../../src/entries/client.ts";
import { DEFAULT_CLIENT_RETRY } from "../../../src/service/client/client-options.ts";
import {
  clientOf,
  errorOf,
  failure,
  json,
  KEY,
  openClient,
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

  it("calls for a new access token at each attempt, and passes on its errors", async () => {
    const tokens = ["first", "second"];
    const broken = new Error("no token today");
    const accessToken = async () => tokens.shift() ?? Promise.reject(broken);
    const options = { apiKey: undefined, accessToken };
    const { service, client } = await openClient([failure(500)], options, { key: "second" });
    expect(client.environment).toBe("unknown");
    await client.properties.list();
    const sent = () => service.requests.map(({ headers }) => headers.authorization);
    expect(sent()).toEqual(["Bearer first", "Bearer second"]);
    await expect(client.properties.list()).rejects.toBe(broken);
    expect(sent()).toHaveLength(2);
  });

  it("does not follow a redirect, which would send the key elsewhere", async () => {
    const trap = await openService();
    const location = `${trap.url}/v1/properties`;
    const { client } = await openClient([
      (response) => void response.writeHead(307, { location }).end(),
    ]);
    const error = await errorOf(client.properties.list());
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
      const told = { type: "invalid_request", field: "fields" };
      const { service, client } = await openClient([
        failure(status, { ...told, message: "No such field." }),
      ]);
      const error = await errorOf(client.properties.list());
      expect(error).toMatchObject({ ...told, code, status, attempts: 1, mayHaveHappened: false });
      expect(error.serviceMessage).toBe("No such field.");
      expect(service.requests).toHaveLength(1);
    },
  );

  it.each([
    ["no body", ""],
    ["a page of a proxy", "<html>Bad gateway</html>"],
    ["JSON of another form", '{"error":"no"}'],
    ["parts of other types", '{"error":{"type":1,"message":null,"field":[]}}'],
  ])("keeps its status even with %s", async (_, body) => {
    const { client } = await openClient([(response) => void response.writeHead(400).end(body)]);
    const error = await errorOf(client.properties.list());
    const nothing = { type: undefined, field: undefined, serviceMessage: undefined };
    expect(error).toMatchObject({ code: "service_refused", status: 400, ...nothing });
  });

  it.each([
    [429, "service_rate_limited"],
    [500, "service_failed"],
  ])(
    "with status %i is retried with exponential back-off, and given up after the allowed attempts",
    async (status, code) => {
      const failures = Array.from({ length: 7 }, () => failure(status));
      const { service, client } = await openClient(failures);
      const error = await errorOf(client.properties.list());
      expect(error).toMatchObject({ code, status, attempts: DEFAULT_CLIENT_RETRY.attempts });
      expect(service.requests).toHaveLength(DEFAULT_CLIENT_RETRY.attempts);
      expect((await client.properties.list()).data).toEqual([]);
      expect(client.delays).toEqual([500, 1000, 2000, 500, 1000, 2000]);
    },
  );

  it("is retried after Retry-After plus the back-off, unless that is longer than allowed", async () => {
    const after = (text: string) => failure(429, {}, { "retry-after": text });
    const waits = ["7", "Thu, 15 Jan 2026 10:00:09 GMT", "soon"];
    const clock = () => Date.parse("2026-01-15T10:00:00Z");
    const { client } = await openClient([...waits.map(after), EMPTY, after("61")], {
      clock,
    });
    await client.properties.list();
    expect(client.delays).toEqual([7500, 10_000, 2000]);
    const error = await errorOf(client.properties.list());
    expect(error).toMatchObject({ code: "service_rate_limited", retryAfter: 61_000, attempts: 1 });
    expect(client.delays).toHaveLength(3);
  });

  it.each([
    [429, "3600", "asks to wait 3600 s"],
    [500, "Thu, 15 Jan 2026 11:00:00 GMT", "asks to wait 3600 s"],
    [429, "86401", "asks to wait 86401 s"],
  ])(
    "says how long the service asks to wait if that is too long (%i, %s)",
    async (status, header, text) => {
      const clock = () => Date.parse("2026-01-15T10:00:00Z");
      const { client } = await openClient([failure(status, {}, { "retry-after": header })], {
        clock,
      });
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
    const told: unknown[] = [];
    const onRetry: ClientOptions["onRetry"] = ({ error, delay }) =>
      told.push([error.status, error.attempts, delay]);
    const { client } = await openClient([failure(429), failure(500)], { onRetry });
    await client.properties.list();
    expect(told).toEqual([
      [429, 1, 500],
      [500, 2, 1000],
    ]);
  });
});

describe("a caller that aborts", () => {
  it("ends a request in progress, or a wait between two attempts, with the caller's own reason", async () => {
    const reason = new Error("enough");
    let controller = new AbortController();
    const end = () => controller.abort(reason);
    for (const answer of [end, failure(429, {}, { "retry-after": "50" })]) {
      controller = new AbortController();
      // with real timers
      const { service, client } = await openClient([answer], { sleep: undefined, onRetry: end });
      await expect(client.properties.list({ signal: controller.signal })).rejects.toBe(reason);
      expect(service.requests).toHaveLength(1);
    }
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
