// Stores events one after another with the built package for a while: `stuck.js INBOX MS`. Prints
// the outcome of each.
import { setTimeout } from "node:timers/promises";
import { createReceiver } from "../../../dist/index.js";
import { signedRequest } from "../../../dist/testing.js";

const [inbox, ms] = process.argv.slice(2);
const secret = "a-secret-of-a-test-child";
const quiet = () => {};
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
const receiver = createReceiver({ secret, inbox, log });
receiver.on("*", quiet);
await receiver.start();
const outcomes = [];
for (const start = Date.now(), n = { n: 0 }; Date.now() - start < Number(ms); n.n++) {
  const timestamp = new Date().toISOString();
  const event = {
    event: "payment.received",
    timestamp,
    data: n,
    webhook: { id: "wh_1", url: "https://a.test" },
  };
  const { headers, body } = signedRequest(event, { secret });
  const delivery = { method: "POST", target: "/webhooks", headers, body, receivedAt: Date.now() };
  outcomes.push((await receiver.accept(delivery)).type);
  await setTimeout(100);
}
process.stdout.write(JSON.stringify(outcomes));
process.exit(0);
