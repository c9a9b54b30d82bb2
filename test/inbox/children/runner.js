// A receiver with the built package: `runner.js INBOX RAN HANDLER_MS LEASE_MS`. It stores events
// received over IPC, and appends a line to RAN for each run of its handler.
import { appendFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { createReceiver } from "../../../dist/index.js";
import { signedRequest } from "../../../dist/testing.js";

const [inbox, ran, handlerMs, leaseTime] = process.argv.slice(2);
const secret = "a-secret-of-a-test-child";
const receiver = createReceiver({
  secret,
  inbox,
  poll: 50,
  lease: Number(leaseTime),
  drainTimeout: 0,
});
receiver.on("*", async ({ data, source }, { attempt }) => {
  appendFileSync(ran, `${process.pid} ${source} ${data.n} ${attempt} ${Date.now()}\n`);
  await setTimeout(Number(handlerMs));
});
await receiver.start();
process.on("message", async (n) => {
  const event = { event: "payment.received", timestamp: new Date().toISOString(), data: { n } };
  const { headers, body } = signedRequest(
    { ...event, webhook: { id: "wh_1", url: "https://a.test" } },
    { secret },
  );
  const delivery = { method: "POST", target: "/webhooks", headers, body, receivedAt: Date.now() };
  process.send({ n, type: (await receiver.accept(delivery)).type });
});
process.on("disconnect", () => process.exit(0));
process.send({ ready: true });
