import { eventKinds } from "hookporter";
import { createTestReceiver, sampleEvent, type TestReceiver } from "hookporter/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import handlers from "../src/handlers/index.ts";
import type { schemas } from "../src/schemas.ts";

let receiver: TestReceiver<typeof schemas>;

beforeEach(async () => {
  receiver = await createTestReceiver({ handlers });
});

afterEach(() => receiver.close());

test.each(eventKinds)("%s has a handler", async (kind) => {
  const { state, attempts } = await receiver.deliver(kind);
  expect(state).toBe("done");
  expect(attempts).toMatchObject([{ handler: kind, outcome: "ok" }]);
});

test("the same event runs once, however often it is sent", async () => {
  const envelope = sampleEvent("payment.received");
  const first = await receiver.deliver(envelope);
  const second = await receiver.deliver(envelope);
  expect(first.outcome).toMatchObject({ type: "accepted", duplicate: false });
  expect(second.outcome).toMatchObject({ type: "accepted", duplicate: true });
  expect(second.attempts).toHaveLength(1);
});

test("a property without its optional fields has a handler that can run", async () => {
  const { state } = await receiver.deliver("property.created", { data: { id: "prop_1", surface: null } });
  expect(state).toBe("done");
});

test("data that does not fit its schema becomes a dead letter that names the field", async () => {
  const property = await receiver.deliver("property.created", { data: { id: 7 } });
  expect([property.state, property.reason]).toEqual(["dead", "invalid_data"]);
  const payment = await receiver.deliver("payment.received", { data: { id: 7 } });
  expect(payment).toMatchObject({
    state: "dead",
    reason: "invalid_data",
    problems: [{ field: "data.id", message: "expected string, got number" }],
  });
});
