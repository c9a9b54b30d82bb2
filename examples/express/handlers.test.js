import assert from "node:assert/strict";
import { test } from "node:test";
import { createTestReceiver, sampleEvent } from "hookporter/testing";
import handlers, { payments } from "./handlers.js";

test("a payment is booked once, however often it is delivered and handled", async () => {
  const receiver = await createTestReceiver({ handlers, twice: true });
  const event = sampleEvent("payment.received", { data: { amount: "1200.00" } });
  const first = await receiver.deliver(event);
  const second = await receiver.deliver(event);
  await receiver.close();
  assert.equal(first.state, "handled");
  assert.equal(second.outcome.duplicate, true);
  assert.deepEqual([...payments.values()], [{ amount: "1200.00" }]);
});

test("a delivery signed with another secret is refused", async () => {
  const receiver = await createTestReceiver({ handlers });
  const { outcome } = await receiver.deliver("payment.received", {
    secret: "the secret of somebody else",
  });
  await receiver.close();
  assert.equal(outcome.type, "unauthorized");
});
