import { describe, expect, it } from "vitest";
import { z } from "zod";
import { eventKinds } from "../../../src/entries/index.ts";
import { frozenClock } from "../../receiver/sample.ts";
import { expectInvalid, json, KEY, openSandbox } from "./open.ts";

const SUBSCRIPTION = {
  url: "http://127.0.0.1:1/webhooks",
  events: ["payment.received"],
  secret: "s".repeat(20),
};

/** The documented fields of a listed property, and nothing else. */
const documented = z.strictObject({
  id: z.string().startsWith("prop_"),
  type: z.string(),
  address: z.string(),
  surface: z.number(),
  rooms: z.int(),
  rent: z.number(),
  yield: z.number(),
  tenant: z.strictObject({ name: z.string(), lease_start: z.iso.date() }),
});

describe("the key", () => {
  it.each([
    ["is missing", {}],
    ["is not a bearer token", { authorization: "Basic c2tfdGVzdF9h" }],
    ["has another prefix", { authorization: "Bearer key" }],
    ["is a prefix alone", { authorization: "Bearer sk_test_" }],
    ["is a production key", { authorization: "Bearer sk_live_abc" }],
    ["is followed by something", { authorization: "Bearer sk_test_a b" }],
  ])("is answered with 401 and an error object if it %s", async (_, headers) => {
    const { ask } = await openSandbox();
    for (const path of ["/v1/properties", "/v1/webhooks", "/v1/other"]) {
      const reply = await ask(path, { headers: { authorization: "", ...headers } });
      expect(reply.status).toBe(401);
      expect(json(reply)).toEqual({ error: { type: "unauthorized", message: expect.any(String) } });
      expect(reply.headers["www-authenticate"]).toBe("Bearer");
    }
  });

  it("is any test key, or the given one, and is never printed", async () => {
    const any = await openSandbox();
    expect((await any.ask("/v1/properties", { key: "sk_test_whatever" })).status).toBe(200);
    const one = await openSandbox({ apiKey: KEY });
    expect((await one.ask("/v1/properties")).status).toBe(200);
    const other = await one.ask("/v1/properties", { key: "sk_test_whatever" });
    expect(other.status).toBe(401);
    expect(JSON.stringify([other.text, other.headers, one.seen, one.lines])).not.toMatch(
      /whatever|tests/,
    );
  });
});

describe("GET /v1/properties", () => {
  it("returns the list envelope with the documented fields", async () => {
    const { ask } = await openSandbox({ properties: 3 });
    const reply = await ask("/v1/properties");
    expect(reply.status).toBe(200);
    expect(reply.headers["content-type"]).toMatch(/^application\/json/);
    expect(json(reply)).toEqual({
      data: expect.any(Array),
      meta: { total: 3, page: 1, per_page: 20 },
    });
    expect(z.array(documented).length(3).safeParse(json(reply).data).error).toBeUndefined();
  });

  it("has the same portfolio for the same seed, and another one for another", async () => {
    const texts = await Promise.all(
      [7, 7, 8].map(
        async (seed) => (await (await openSandbox({ seed })).ask("/v1/properties")).text,
      ),
    );
    expect(texts[0]).toBe(texts[1]);
    expect(texts[0]).not.toBe(texts[2]);
  });

  it("pages through the whole list, and returns an empty page beyond the last", async () => {
    const { ask, sandbox } = await openSandbox({ properties: 5 });
    const ids: unknown[] = [];
    for (const [page, length] of [
      [1, 2],
      [2, 2],
      [3, 1],
      [4, 0],
    ] as const) {
      const reply = json(await ask(`/v1/properties?page=${page}&per_page=2`));
      expect(reply.meta).toEqual({ total: 5, page, per_page: 2 });
      expect(reply.data).toHaveLength(length);
      ids.push(...(reply.data as { id: string }[]).map(({ id }) => id));
    }
    expect(new Set(ids).size).toBe(5);
    sandbox.emit("property.created");
    expect(json(await ask("/v1/properties")).meta).toMatchObject({ total: 6 });
  });

  it("returns only the requested fields", async () => {
    const { ask } = await openSandbox({ properties: 1 });
    const keys = async (query: string) =>
      Object.keys((json(await ask(`/v1/properties?${query}`)).data as object[])[0] ?? {}).sort();
    expect(await keys("fields=id,rent")).toEqual(["id", "rent"]);
    expect(await keys("fields=tenant&fields=id")).toEqual(["id", "tenant"]);
    expect(await keys("")).toHaveLength(8);
  });

  it.each([
    ["fields=id,nothing", "fields"],
    ["fields=", "fields"],
    ["fields=__proto__", "fields"],
    ["page=0", "page"],
    ["page=1?2", "page"],
    ["page=two", "page"],
    ["page=-1", "page"],
    ["per_page=101", "per_page"],
    ["per_page=1e1", "per_page"],
  ])("answers 400 invalid_request with the field for ?%s", async (query, field) => {
    const { ask } = await openSandbox();
    expectInvalid(await ask(`/v1/properties?${query}`), field);
  });
});

describe("POST /v1/webhooks", () => {
  it("creates a subscription, returns it under the sandbox's own name, and never reveals the secret", async () => {
    const { ask, sandbox, seen, lines } = await openSandbox();
    const reply = await ask("/v1/webhooks", { body: SUBSCRIPTION });
    expect(reply.status).toBe(200);
    const { url, events } = SUBSCRIPTION;
    const _sandbox = { id: expect.stringMatching(/^wh_./), url, events, signed: true };
    expect(json(reply)).toEqual({ _sandbox });
    expect(sandbox.subscriptions).toEqual([_sandbox]);
    expect(JSON.stringify([reply.text, seen, lines])).not.toContain(SUBSCRIPTION.secret);
  });

  it("accepts a subscription without a secret, and one for all 12 kinds", async () => {
    const { ask, sandbox } = await openSandbox();
    const body = { url: SUBSCRIPTION.url, events: [...eventKinds, ...eventKinds] };
    expect((await ask("/v1/webhooks", { body })).status).toBe(200);
    expect(sandbox.subscriptions).toMatchObject([{ events: eventKinds, signed: false }]);
  });

  it.each<[string, object, string]>([
    ["no url", { url: undefined }, "url"],
    ["a url that is none", { url: "nowhere" }, "url"],
    ["a url of another scheme", { url: "file:///etc/passwd" }, "url"],
    ["a url with a password", { url: "http://user:password@127.0.0.1/webhooks" }, "url"],
    ["no events", { events: undefined }, "events"],
    ["an empty list of events", { events: [] }, "events"],
    ["an unknown kind", { events: ["payment.received", "payment.lost"] }, "events"],
    ["a family", { events: ["payment.*"] }, "events"],
    ["events that are no list", { events: "payment.received" }, "events"],
    ["an empty secret", { secret: " " }, "secret"],
    ["a secret that is no text", { secret: 1234567890123456 }, "secret"],
  ])("answers 400 invalid_request with the field for %s", async (_, change, field) => {
    const { ask, sandbox } = await openSandbox();
    expectInvalid(await ask("/v1/webhooks", { body: { ...SUBSCRIPTION, ...change } }), field);
    expect(sandbox.subscriptions).toEqual([]);
  });

  it.each<[string, Parameters<Awaited<ReturnType<typeof openSandbox>>["ask"]>[1]]>([
    ["no JSON", { body: "{" }],
    ["another JSON value", { body: "[]" }],
    ["another content type", { body: SUBSCRIPTION, headers: { "content-type": "text/plain" } }],
    ["a body that is too large", { body: { ...SUBSCRIPTION, more: "x".repeat(300_000) } }],
  ])("answers 400 invalid_request for %s", async (_, asked) => {
    const { ask } = await openSandbox();
    expectInvalid(await ask("/v1/webhooks", asked));
  });
});

describe("limits and faults", () => {
  it("are simulated by 429 with an error object and Retry-After, per key, until the minute is over", async () => {
    const clock = frozenClock();
    const { ask } = await openSandbox({ rateLimit: 2, clock: () => clock.now });
    const statuses = async (key?: string) => {
      const replies = [];
      for (let index = 0; index < 3; index++)
        replies.push(await ask("/v1/properties", key ? { key } : {}));
      return replies.map(({ status }) => status);
    };
    expect(await statuses()).toEqual([200, 200, 429]);
    expect(await statuses("sk_test_another")).toEqual([200, 200, 429]);
    clock.now += 18_500;
    const limited = await ask("/v1/properties");
    expect(limited.headers["retry-after"]).toBe("42");
    expect(json(limited)).toEqual({ error: { type: "rate_limited", message: expect.any(String) } });
    clock.now += 41_500;
    expect(await statuses()).toEqual([200, 200, 429]);
    clock.now -= 3_600_000; // the clock is set back
    expect(await statuses()).toEqual([200, 200, 429]);
  });

  it.each([
    ["GET", "/v1/tenants"],
    ["DELETE", "/v1/webhooks"],
    ["POST", "/v1/properties"],
    ["GET", "/v1/webhooks"],
    ["GET", "/V1/properties"],
    ["GET", "/v1/properties/"],
    ["GET", "/"],
  ])(
    "the sandbox answers 404 to %s %s, which the description does not show",
    async (method, path) => {
      const { ask } = await openSandbox();
      const reply = await ask(path, { method });
      expect(reply.status).toBe(404);
      expect(json(reply)).toEqual({ error: { type: "not_found", message: expect.any(String) } });
    },
  );

  it("each request is reported to observers", async () => {
    const { ask, seen } = await openSandbox();
    await ask("/v1/properties?page=0");
    expect(seen).toEqual([
      {
        type: "request",
        method: "GET",
        target: "/v1/properties?page=0",
        status: 400,
        duration: expect.any(Number),
      },
    ]);
  });
});
