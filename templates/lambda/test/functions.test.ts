import { sampleEvent, signedRequest } from "hookporter/testing";
import { beforeAll, expect, test, vi } from "vitest";

const SECRET = "a secret of the tests";
let functions: typeof import("../src/functions.ts");

beforeAll(async () => {
  vi.stubEnv("HOOKPORTER_SECRET", SECRET);
  vi.stubEnv("HOOKPORTER_INBOX", "memory:");
  functions = await import("../src/functions.ts"); // only now, since it reads the variables
});

/** A signed delivery, as a function's URL passes it on. */
function signedEvent(secret: string) {
  const { method, headers, body } = signedRequest(sampleEvent("lead.created"), { secret });
  const requestContext = { http: { method } };
  return {
    rawPath: "/webhooks",
    headers,
    body: Buffer.from(body).toString("base64"),
    isBase64Encoded: true,
    requestContext,
  };
}

test("a signed delivery is answered 200, again as a duplicate, and runs in the drain", async () => {
  const event = signedEvent(SECRET);
  const first = await functions.webhooks(event);
  expect(first.statusCode).toBe(200);
  expect(JSON.parse(first.body)).toMatchObject({ received: true, duplicate: false });
  const second = await functions.webhooks(event);
  expect(JSON.parse(second.body)).toMatchObject({ received: true, duplicate: true });
  expect(await functions.drain()).toMatchObject({ handled: 1, failing: 0, nextRunAt: undefined });
});

test("a wrong signature is answered 401, and nothing is kept", async () => {
  const response = await functions.webhooks(signedEvent("the secret of another sender"));
  expect(response.statusCode).toBe(401);
  expect(JSON.parse(response.body)).toMatchObject({ error: { type: "unauthorized" } });
  expect(await functions.drain()).toMatchObject({ handled: 0, dead: 0, received: 0 });
});

test("what is no HTTP request is refused", async () => {
  const scheduled = { requestContext: {} };
  await expect(functions.webhooks(scheduled)).rejects.toThrow(/HTTP request/);
});

test("/readyz says that the inbox can be read", async () => {
  const response = await functions.webhooks({
    rawPath: "/readyz",
    requestContext: { http: { method: "GET" } },
  });
  expect(response.statusCode).toBe(200);
  expect(JSON.parse(response.body)).toEqual({ status: "ok" });
});
