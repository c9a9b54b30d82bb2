import { appendFileSync } from "node:fs";
import { startServer } from "../../src/adapters/server.ts";
import { createReceiver } from "../../src/entries/index.ts";

/**
 * A receiver in a child process: `child.ts INBOX RAN BEHAVIOUR`. It reads its secret from the
 * environment and prints its URL. For each run, the handler appends a line to RAN and then behaves
 * as BEHAVIOUR says.
 */
const [inbox = "", ran = "", behaviour = "end"] = process.argv.slice(2);

const receiver = createReceiver({
  secret: process.env.HOOKPORTER_SECRET,
  inbox,
  poll: 20,
  lease: 300,
  drainTimeout: 100,
  ...(behaviour === "exit" && { retry: { attempts: 2 } }),
});
receiver.on("*", async ({ id }, { attempt }) => {
  appendFileSync(ran, `${process.pid} ${id} ${attempt}\n`);
  if (behaviour === "hang") await new Promise(() => {});
  if (behaviour === "exit") process.exit(70);
  if (behaviour === "stray") void Promise.reject(new Error("left behind"));
  if (behaviour === "slow") await new Promise((resolve) => setTimeout(resolve, 20));
});
await receiver.start();
const server = await startServer(receiver, { port: 0, host: "127.0.0.1", path: "/webhooks" });
process.stdout.write(`${server.url.href}\n`);
process.on("SIGTERM", async () => {
  await server.close();
  await receiver.close();
  process.exit(0);
});
