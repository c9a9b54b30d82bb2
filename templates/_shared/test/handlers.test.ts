import { eventKinds } from "hookporter";
import { createTestReceiver, sampleEvent, type TestReceiver } from "hookporter/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import handlers from "../src/handlers/index.ts";
import { log } from "../src/log.ts";
import type { OtherKind } from "../src/registry.ts";
import type { schemas } from "../src/schemas.ts";

/** The samples are made up, so schemas that were learned from your events may refuse them. */
const UNFIT = "the sample does not fit src/schemas.ts: deliver data that does";

let receiver: TestReceiver<typeof schemas, OtherKind>;

beforeEach(async () => {
  receiver = await createTestReceiver({ handlers, log });
});

afterEach(() => receiver.close());

test.for(eventKinds)("%s has a handler", async (kind, { skip }) => {
  const { state, reason, attempts } = await receiver.deliver(kind);
  skip(reason === "invalid_data", UNFIT);
  expect(state).toBe("handled");
  expect(attempts).toMatchObject([{ handler: kind, outcome: "ok" }]);
});

test("the same event runs once, however often it is sent", async () => {
  const envelope = sampleEvent("payment.received");
  const first = await receiver.deliver(envelope);
  const second = await receiver.deliver(envelope);
  expect(first.outcome).toMatchObject({ type: "accepted", duplicate: false });
  expect(second.outcome).toMatchObject({ type: "accepted", duplicate: true });
  expect(second.attempts).toEqual(first.attempts);
});

test("a property without its optional fields has a handler that can run", async ({ skip }) => {
  const data = { id: "prop_1", surface: null };
  const { state, reason } = await receiver.deliver("property.created", { data });
  skip(reason === "invalid_data", UNFIT);
  expect(state).toBe("handled");
});

test("data that does not fit its schema becomes a dead letter that names the field", async () => {
  const property = await receiver.deliver("property.created", { data: { id: 7 } });
  expect([property.state, property.reason]).toEqual(["dead", "invalid_data"]);
  const payment = await receiver.deliver("payment.received", { data: { id: 7 } });
  expect([payment.state, payment.reason]).toEqual(["dead", "invalid_data"]);
  expect(payment.problems).toContainEqual({
    field: "data.id",
    message: "expected string, got number",
  });
});
