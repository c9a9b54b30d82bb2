import { once } from "node:events";
import { createServer } from "node:net";
import { describe, expect, it } from "vitest";
import { clientOf, errorOf, failure, json, openService, SUBSCRIPTION } from "./service.ts";

/** An address at which nothing listens. */
async function closedUrl(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

describe("a request that changes something", () => {
  it("is tried again after 429, of which the service says that it was not carried out", async () => {
    const service = await openService();
    service.next(failure(429));
    const made = await clientOf(service).webhooks.create(SUBSCRIPTION);
    expect(made).toMatchObject({ status: 201, body: { id: "wh_1" }, mayExistTwice: false });
  });

  it("is tried again after 500 as the description asks, and says that it may exist twice", async () => {
    const service = await openService();
    service.next(failure(500));
    const made = await clientOf(service).webhooks.create(SUBSCRIPTION);
    expect(made).toMatchObject({ status: 201, mayExistTwice: true });
  });

  it.each([501, 502, 503, 504])(
    "is not tried again after %i, of which the description says nothing",
    async (status) => {
      const service = await openService();
      service.next(failure(status));
      const error = await errorOf(clientOf(service).webhooks.create(SUBSCRIPTION));
      expect(error).toMatchObject({ code: "service_failed", status, attempts: 1, mayHaveHappened: true });
      expect(service.requests).toHaveLength(1);
    },
  );

  it("is not tried again when the connection breaks off, since it may have been carried out", async () => {
    const service = await openService();
    service.next((response) => void response.destroy());
    const error = await errorOf(clientOf(service).webhooks.create(SUBSCRIPTION));
    expect(error).toMatchObject({ code: "service_unreachable", attempts: 1, mayHaveHappened: true });
    expect(service.requests).toHaveLength(1);
  });

  it("is tried again when no connection came about, and then nothing can have happened", async () => {
    const service = await openService();
    const client = clientOf(service, { baseUrl: await closedUrl() });
    const error = await errorOf(client.webhooks.create(SUBSCRIPTION));
    expect(error).toMatchObject({ code: "service_unreachable", attempts: 4, mayHaveHappened: false });
  });

  it("still may have happened when a later attempt is refused", async () => {
    const service = await openService();
    service.next(failure(500), failure(400, { type: "invalid_request", field: "url" }));
    const error = await errorOf(clientOf(service).webhooks.create(SUBSCRIPTION));
    expect(error).toMatchObject({
      code: "service_refused",
      attempts: 2,
      field: "url",
      mayHaveHappened: true,
    });
  });

  it("may have happened when the answer is 2xx, but no JSON", async () => {
    const service = await openService();
    service.next((response) => void response.writeHead(200).end("created!"));
    const error = await errorOf(clientOf(service).webhooks.create(SUBSCRIPTION));
    expect(error).toMatchObject({ code: "service_answer_invalid", status: 200, mayHaveHappened: true });
  });
});

describe("a request without a whole answer", () => {
  it("is tried again when it changes nothing", async () => {
    const service = await openService();
    service.next((response) => void response.destroy());
    const client = clientOf(service);
    await client.properties.list();
    expect(client.delays).toEqual([500]);
  });

  it("is given up when there is no such host", async () => {
    const service = await openService();
    const client = clientOf(service, { baseUrl: "https://service.invalid" });
    expect(await errorOf(client.properties.list())).toMatchObject({
      code: "service_unreachable",
      attempts: 1,
    });
  });

  it("is given up on a port that fetch refuses", async () => {
    const service = await openService();
    const error = await errorOf(clientOf(service, { baseUrl: "http://127.0.0.1:6000" }).properties.list());
    expect(error).toMatchObject({ code: "service_unreachable", attempts: 1, mayHaveHappened: false });
  });

  it.each([
    ["the head", (): void => {}],
    [
      "the body",
      (response: { writeHead(status: number): { write(text: string): unknown } }) =>
        void response.writeHead(200).write("{"),
    ],
  ] as const)("ends after the time-out when %s does not come", async (_, answer) => {
    const service = await openService();
    service.next(answer);
    const client = clientOf(service, { timeout: 50, retry: { attempts: 1 } });
    expect(await errorOf(client.properties.list())).toMatchObject({ code: "service_timeout", attempts: 1 });
  });

  it("ends after the time-out when no token comes, and nothing was sent then", async () => {
    const service = await openService();
    const never = () => new Promise<string>(() => {});
    const client = clientOf(service, {
      apiKey: undefined,
      accessToken: never,
      timeout: 20,
      retry: { attempts: 2 },
    });
    const error = await errorOf(client.webhooks.create(SUBSCRIPTION));
    expect(error).toMatchObject({ code: "service_timeout", attempts: 2, mayHaveHappened: false });
    expect(service.requests).toEqual([]);
  });

  it("keeps the status of an error whose body breaks off", async () => {
    const service = await openService();
    service.next((response) => {
      response.writeHead(400, { "content-length": "1000" });
      response.write('{"error":{', () => response.destroy());
    });
    expect(await errorOf(clientOf(service).properties.list())).toMatchObject({
      code: "service_refused",
      status: 400,
    });
  });

  it("refuses an answer larger than allowed", async () => {
    const service = await openService();
    const list = { data: [], meta: { total: 0, page: 1, per_page: 20 }, more: "x".repeat(100_000) };
    service.next(json(200, list), json(200, list));
    expect((await clientOf(service).properties.list()).more).toHaveLength(100_000);
    const error = await errorOf(clientOf(service, { maxAnswer: 50_000 }).properties.list());
    expect(error).toMatchObject({ code: "service_answer_invalid", status: 200, attempts: 1 });
  });
});
