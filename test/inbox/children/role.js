// A receiver with the built package, for tests with several processes on one inbox:
// `role.js INBOX SCHEMA RAN ROLE KINDS UNHANDLED_AFTER`. It stores events received over IPC, and
// appends a line to RAN for each run of a handler.
import { appendFileSync } from "node:fs";
import { createReceiver, postgresInbox } from "../../../dist/index.js";
import { signedRequest } from "../../../dist/testing.js";

const [path, schema, ran, role, kinds, unhandledAfter] = process.argv.slice(2);
const secret = "a-secret-of-a-test-child";
const inbox = schema === "" ? path : postgresInbox(path, { schema });
const receiver = createReceiver({
  secret,
  inbox,
  role,
  poll: 50,
  unhandledAfter: Number(unhandledAfter),
});
const handled = kinds.split(",").filter((kind) => kind !== "");
if (handled.length > 0) {
  receiver.on(handled, ({ kind, data }) =>
    appendFileSync(ran, `${process.pid} ${kind} ${data.n}\n`),
  );
}
await receiver.start();
process.on("message", async ({ n, kind }) => {
  const event = { event: kind, timestamp: new Date().toISOString(), data: { n } };
  const { headers, body } = signedRequest(
    { ...event, webhook: { id: "wh_1", url: "https://a.test" } },
    { secret },
  );
  const delivery = { method: "POST", target: "/webhooks", headers, body, receivedAt: Date.now() };
  process.send({ n, type: (await receiver.accept(delivery)).type });
});
process.on("disconnect", () => void receiver.close().then(() => process.exit(0)));
process.send({ ready: true });
