// Starts receivers on new inboxes, one after another, with the built package, until it is killed:
// `first-starts.js FOLDER`. Prints the number of each inbox in which an event was acknowledged.
import { writeSync } from "node:fs";
import { join } from "node:path";
import { createReceiver } from "../../../dist/index.js";
import { signedRequest } from "../../../dist/testing.js";

const [folder] = process.argv.slice(2);
const secret = "a-secret-of-a-test-child";
const quiet = () => {};
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
writeSync(1, "ready\n");
for (let n = 0; ; n++) {
  const receiver = createReceiver({ secret, inbox: join(folder, String(n), "inbox.db"), log });
  await receiver.start();
  const timestamp = new Date().toISOString();
  const event = {
    event: "payment.received",
    timestamp,
    data: { n },
    webhook: { id: "wh_1", url: "https://a.test" },
  };
  const { headers, body } = signedRequest(event, { secret });
  const delivery = { method: "POST", target: "/webhooks", headers, body, receivedAt: Date.now() };
  if ((await receiver.accept(delivery)).type === "accepted") writeSync(1, `${n}\n`);
}
