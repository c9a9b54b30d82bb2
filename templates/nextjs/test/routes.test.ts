import {
  createTestReceiver,
  sampleEvent,
  signedRequest,
  TEST_SECRET,
  type TestReceiver,
} from "hookporter/testing";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { GET as healthz } from "../src/app/healthz/route.ts";
import { GET as readyz } from "../src/app/readyz/route.ts";
import { POST } from "../src/app/webhooks/route.ts";
import handlers from "../src/handlers/index.ts";
import { log } from "../src/log.ts";
import type { OtherKind } from "../src/registry.ts";
import type { schemas } from "../src/schemas.ts";

vi.mock("../src/receiver.ts", () => ({ receiver: () => receiver }));
// it waits for the server's request, and there is none
vi.mock("next/server", () => ({ connection: async () => {} }));

const URL = "http://localhost/webhooks";
let receiver: TestReceiver<typeof schemas, OtherKind>;

beforeEach(async () => {
  receiver = await createTestReceiver({ handlers, log });
});

afterEach(() => receiver.close());

test("a signed delivery is answered 200, and again as a duplicate", async () => {
  const request = signedRequest(sampleEvent("lead.created"), { secret: TEST_SECRET });
  const first = await POST(new Request(URL, request));
  expect(first.status).toBe(200);
  expect(await first.json()).toMatchObject({ received: true, duplicate: false });
  const second = await POST(new Request(URL, request));
  expect(await second.json()).toMatchObject({ received: true, duplicate: true });
});

test("a wrong signature is answered 401, and nothing is kept", async () => {
  const request = signedRequest(sampleEvent("lead.created"), {
    secret: "the secret of another sender",
  });
  const response = await POST(new Request(URL, request));
  expect(response.status).toBe(401);
  expect(await response.json()).toMatchObject({ error: { type: "unauthorized" } });
  expect(await receiver.inbox.list()).toEqual([]);
});

test("/healthz says that the process lives, /readyz that the inbox can be read", async () => {
  expect(await (await healthz()).json()).toEqual({ alive: true });
  const ready = await readyz();
  expect([ready.status, await ready.json()]).toEqual([200, { status: "ok" }]);
});
