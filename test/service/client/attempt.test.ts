import { once } from "node:events";
import { createServer } from "node:net";
import { describe, expect, it } from "vitest";
import type { ClientOptions } from "../../../src/entries/client.ts";
import { readNetworkFailure } from "../../../src/service/client/network-failure.ts";
import { errorOf, failure, json, openClient, type Scripted, SUBSCRIPTION } from "./service.ts";

/** An address at which nothing listens. */
async function closedUrl(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

const lost: Scripted = (response) => void response.destroy();

describe("a request that changes something", () => {
  it.each([
    ["429, which means that it was not carried out", 429, false],
    ["500 as the description asks, and may exist twice", 500, true],
  ])("is retried after %s", async (_, status, mayExistTwice) => {
    const { client } = await openClient([failure(status)]);
    const made = await client.webhooks.create(SUBSCRIPTION);
    expect(made).toMatchObject({ status: 201, body: { id: "wh_1" }, mayExistTwice });
  });

  it.each<[string, Scripted, object]>([
    ...[501, 502, 503, 504].map((status): [string, Scripted, object] => [
      `${status}, which the description does not mention`,
      failure(status),
      { code: "service_failed", status },
    ]),
    [
      "a lost connection, since it may have been carried out",
      lost,
      { code: "service_unreachable" },
    ],
    [
      "a 2xx response that is not JSON",
      (response) => void response.writeHead(200).end("created!"),
      { code: "service_answer_invalid", status: 200 },
    ],
  ])("is not retried after %s", async (_, answer, expected) => {
    const { service, client } = await openClient([answer]);
    const error = await errorOf(client.webhooks.create(SUBSCRIPTION));
    expect(error).toMatchObject({ ...expected, attempts: 1, mayHaveHappened: true });
    expect(service.requests).toHaveLength(1);
  });

  it("is retried if there was no connection, when nothing can have happened", async () => {
    const { client } = await openClient([], { baseUrl: await closedUrl() });
    const error = await errorOf(client.webhooks.create(SUBSCRIPTION));
    const nothing = { attempts: 4, mayHaveHappened: false };
    expect(error).toMatchObject({ code: "service_unreachable", ...nothing });
  });

  it("may still have happened if a later attempt is refused, which names the field", async () => {
    const refused = failure(400, { type: "invalid_request", field: "url" });
    const { client } = await openClient([failure(500), refused, refused]);
    const refusal = { code: "service_refused", status: 400, type: "invalid_request", field: "url" };
    for (const [attempts, mayHaveHappened] of [
      [2, true],
      [1, false],
    ] as const) {
      const error = await errorOf(client.webhooks.create(SUBSCRIPTION));
      expect(error).toMatchObject({ ...refusal, attempts, mayHaveHappened });
    }
  });
});

describe("a request without a complete response", () => {
  it("is retried if it changes nothing", async () => {
    const { client } = await openClient([lost]);
    await client.properties.list();
    expect(client.delays).toEqual([500]);
  });

  const impatient = { timeout: 50, retry: { attempts: 1 } };
  it.each<[string, Scripted | undefined, Partial<ClientOptions>, object]>([
    [
      "the host is unknown",
      undefined,
      { baseUrl: "https://service.invalid" },
      { code: "service_unreachable" },
    ],
    [
      "the port is one that fetch refuses",
      undefined,
      { baseUrl: "http://127.0.0.1:6000" },
      { code: "service_unreachable", mayHaveHappened: false },
    ],
    ["no head arrives", () => {}, impatient, { code: "service_timeout" }],
    [
      "no body arrives",
      (response) => void response.writeHead(200).write("{"),
      impatient,
      { code: "service_timeout" },
    ],
    [
      "the body of an error is cut, whose status counts",
      (response) => {
        response.writeHead(400, { "content-length": "1000" });
        response.write('{"error":{', () => response.destroy());
      },
      {},
      { code: "service_refused", status: 400 },
    ],
  ])("is given up if %s", async (_, answer, options, expected) => {
    const { client } = await openClient(answer === undefined ? [] : [answer], options);
    expect(await errorOf(client.properties.list())).toMatchObject({ ...expected, attempts: 1 });
  });

  it("times out if no token arrives, with nothing sent", async () => {
    const accessToken = () => new Promise<string>(() => {});
    const options = { apiKey: undefined, accessToken, timeout: 20, retry: { attempts: 2 } };
    const { service, client } = await openClient([], options);
    const error = await errorOf(client.webhooks.create(SUBSCRIPTION));
    expect(error).toMatchObject({ code: "service_timeout", attempts: 2, mayHaveHappened: false });
    expect(service.requests).toEqual([]);
  });

  it("is given up if the response is larger than allowed", async () => {
    const list = { data: [], meta: { total: 0, page: 1, per_page: 20 }, more: "x".repeat(100_000) };
    const { client } = await openClient([json(200, list)]);
    expect((await client.properties.list()).more).toHaveLength(100_000);
    const small = await openClient([json(200, list)], { maxAnswer: 50_000 });
    const error = await errorOf(small.client.properties.list());
    expect(error).toMatchObject({ code: "service_answer_invalid", status: 200, attempts: 1 });
  });
});

/** An error as `fetch` throws it. */
const fetchFailed = (cause: unknown) => new TypeError("fetch failed", { cause });

it("a refusal by a proxy is named, and nothing was sent", () => {
  const inner = new Error("Proxy response (403) !== 200 when HTTP Tunneling");
  const cancelled = new Error("Request was cancelled.", { cause: inner });
  const failed = readNetworkFailure(fetchFailed(cancelled));
  expect(failed).toMatchObject({ notSent: true, permanent: false, mayPass: true });
  expect(failed.why).toContain("the proxy answered 403");
});

it.each([
  ["ECONNREFUSED", "connect", { notSent: true, permanent: false, mayPass: true }],
  // the name may not be known yet
  ["ENOTFOUND", "getaddrinfo", { notSent: true, permanent: true, mayPass: true }],
  ["ECONNRESET", "read", { notSent: false, permanent: false, mayPass: true }],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", undefined, { notSent: false, permanent: true, mayPass: false }],
])("%s is judged", (code, syscall, judged) => {
  const cause = Object.assign(new Error("no"), { code, syscall });
  expect(readNetworkFailure(fetchFailed(cause))).toMatchObject(judged);
});
