import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import {
  createTestReceiver,
  sampleEvent,
  signedRequest,
  TEST_SECRET,
  type TestReceiver,
} from "hookporter/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createApp } from "../src/app.ts";
import handlers from "../src/handlers/index.ts";
import { log } from "../src/log.ts";
import type { OtherKind } from "../src/registry.ts";
import type { schemas } from "../src/schemas.ts";

let receiver: TestReceiver<typeof schemas, OtherKind>;
let server: Server;
let base: string;

beforeEach(async () => {
  receiver = await createTestReceiver({ handlers, log });
  server = createApp(receiver).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await receiver.close();
});

test("a signed delivery is answered 200, and again as a duplicate", async () => {
  const request = signedRequest(sampleEvent("lead.created"), { secret: TEST_SECRET });
  const first = await fetch(`${base}/webhooks`, request);
  expect(first.status).toBe(200);
  expect(await first.json()).toMatchObject({ received: true, duplicate: false });
  const second = await fetch(`${base}/webhooks`, request);
  expect(await second.json()).toMatchObject({ received: true, duplicate: true });
});

test("a wrong signature is answered 401, and nothing is kept", async () => {
  const request = signedRequest(sampleEvent("lead.created"), {
    secret: "the secret of another sender",
  });
  const response = await fetch(`${base}/webhooks`, request);
  expect(response.status).toBe(401);
  expect(await response.json()).toMatchObject({ error: { type: "unauthorized" } });
  expect(await receiver.inbox.list()).toEqual([]);
});

test("/healthz says that the process lives, /readyz that the inbox can be read", async () => {
  const alive = await fetch(`${base}/healthz`);
  expect([alive.status, await alive.json()]).toEqual([200, { alive: true }]);
  const ready = await fetch(`${base}/readyz`);
  expect([ready.status, await ready.json()]).toEqual([200, { status: "ok" }]);
});
