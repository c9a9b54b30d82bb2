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
  it("is retried after 429, which means that it was not carried out", async () => {
    const service = await openService();
    service.next(failure(429));
    const made = await clientOf(service).webhooks.create(SUBSCRIPTION);
    expect(made).toMatchObject({ status: 201, body: { id: "wh_1" }, mayExistTwice: false });
  });

  it("is retried after 500 as the description asks, and may exist twice", async () => {
    const service = await openService();
    service.next(failure(500));
    const made = await clientOf(service).webhooks.create(SUBSCRIPTION);
    expect(made).toMatchObject({ status: 201, mayExistTwice: true });
  });

  it.each([501, 502, 503, 504])(
    "is not retried after %i, which the description does not mention",
    async (status) => {
      const service = await openService();
      service.next(failure(status));
      const error = await errorOf(clientOf(service).webhooks.create(SUBSCRIPTION));
      expect(error).toMatchObject({
        code: "service_failed",
        status,
        attempts: 1,
        mayHaveHappened: true,
      });
      expect(service.requests).toHaveLength(1);
    },
  );

  it("is not retried if the connection is lost, since it may have been carried out", async () => {
    const service = await openService();
    service.next((response) => void response.destroy());
    const error = await errorOf(clientOf(service).webhooks.create(SUBSCRIPTION));
    expect(error).toMatchObject({
      code: "service_unreachable",
      attempts: 1,
      mayHaveHappened: true,
    });
    expect(service.requests).toHaveLength(1);
  });

  it("is retried if there was no connection, when nothing can have happened", async () => {
    const service = await openService();
    const client = clientOf(service, { baseUrl: await closedUrl() });
    const error = await errorOf(client.webhooks.create(SUBSCRIPTION));
    expect(error).toMatchObject({
      code: "service_unreachable",
      attempts: 4,
      mayHaveHappened: false,
    });
  });

  it("may still have happened if a later attempt is refused", async () => {
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

  it("may have happened if the response is 2xx but not JSON", async () => {
    const service = await openService();
    service.next((response) => void response.writeHead(200).end("created!"));
    const error = await errorOf(clientOf(service).webhooks.create(SUBSCRIPTION));
    expect(error).toMatchObject({
      code: "service_answer_invalid",
      status: 200,
      mayHaveHappened: true,
    });
  });
});

describe("a request without a complete response", () => {
  it("is retried if it changes nothing", async () => {
    const service = await openService();
    service.next((response) => void response.destroy());
    const client = clientOf(service);
    await client.properties.list();
    expect(client.delays).toEqual([500]);
  });

  it("is given up if the host is unknown", async () => {
    const service = await openService();
    const client = clientOf(service, { baseUrl: "https://service.invalid" });
    expect(await errorOf(client.properties.list())).toMatchObject({
      code: "service_unreachable",
      attempts: 1,
    });
  });

  it("is given up on a port that fetch refuses", async () => {
    const service = await openService();
    const error = await errorOf(
      clientOf(service, { baseUrl: "http://127.0.0.1:6000" }).properties.list(),
    );
    expect(error).toMatchObject({
      code: "service_unreachable",
      attempts: 1,
      mayHaveHappened: false,
    });
  });

  it.each([
    ["the head", (): void => {}],
    [
      "the body",
      (response: { writeHead(status: number): { write(text: string): unknown } }) =>
        void response.writeHead(200).write("{"),
    ],
  ] as const)("times out if %s does not arrive", async (_, answer) => {
    const service = await openService();
    service.next(answer);
    const client = clientOf(service, { timeout: 50, retry: { attempts: 1 } });
    expect(await errorOf(client.properties.list())).toMatchObject({
      code: "service_timeout",
      attempts: 1,
    });
  });

  it("times out if no token arrives, with nothing sent", async () => {
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

  it("keeps the status of an error whose body is incomplete", async () => {
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

  it("refuses a response larger than allowed", async () => {
    const service = await openService();
    const list = { data: [], meta: { total: 0, page: 1, per_page: 20 }, more: "x".repeat(100_000) };
    service.next(json(200, list), json(200, list));
    expect((await clientOf(service).properties.list()).more).toHaveLength(100_000);
    const error = await errorOf(clientOf(service, { maxAnswer: 50_000 }).properties.list());
    expect(error).toMatchObject({ code: "service_answer_invalid", status: 200, attempts: 1 });
  });
});
