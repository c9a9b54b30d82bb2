// A receiver on an inbox file with the handlers of a module, for tests that kill it. Deliveries
// arrive as messages.
import process from "node:process";
import { createReceiver } from "../../../dist/index.js";

const [inbox, handlers] = process.argv.slice(2);
const receiver = createReceiver({
  secret: "a-secret-made-up-for-handing-on",
  inbox,
  orderBy: ({ data }) => data.key ?? null,
  concurrency: 40,
  lease: 1500,
  poll: 50,
  retry: { attempts: 100, delay: 20, maxDelay: 100 },
  log: { debug() {}, info() {}, warn() {}, error() {} },
});
const { default: module } = await import(handlers);
receiver.replaceHandlers(module);
await receiver.start();
process.on("message", async (delivery) => {
  const body = Buffer.from(delivery.body, "base64");
  const { type } = await receiver.accept({ ...delivery, body, receivedAt: Date.now() });
  process.send?.({ type });
});
process.on("disconnect", () => process.exit());
process.send?.({ type: "ready" });
