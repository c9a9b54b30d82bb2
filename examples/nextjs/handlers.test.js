import assert from "node:assert/strict";
import { test } from "node:test";
import { createTestReceiver, sampleEvent } from "hookporter/testing";
import handlers from "./handlers.js";

test("a payment is handled once, however often it is delivered", async () => {
  const receiver = await createTestReceiver({ handlers });
  const event = sampleEvent("payment.received");
  const first = await receiver.deliver(event);
  const second = await receiver.deliver(event);
  await receiver.close();
  assert.equal(first.state, "handled");
  assert.deepEqual([second.outcome.duplicate, second.attempts.length], [true, 1]);
});
