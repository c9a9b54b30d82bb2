import { existsSync } from "node:fs";
import { createReceiver } from "hookporter";
import { createServer } from "hookporter/express";
import { createApp } from "./app.ts";
import registerHandlers from "./handlers/index.ts";
import { log } from "./log.ts";

// What is set in the environment already wins over the file.
if (existsSync(".env")) process.loadEnvFile(".env");

const port = Number(process.env.PORT || 3000);
const host = process.env.HOST || "127.0.0.1";

const receiver = createReceiver({
  secret: process.env.HOOKPORTER_SECRET,
  inbox: process.env.HOOKPORTER_INBOX || "./data/inbox.db",
  log,
});
registerHandlers(receiver);
await receiver.start();

// As `app.listen()`, and several times as fast on Node 20 and 22.
const server = createServer(createApp(receiver)).listen(port, host, () => {
  const address = server.address(); // says the port where 0 asked for a free one
  const bound = typeof address === "object" && address !== null ? address.port : port;
  log.info({ url: `http://${host}:${bound}/webhooks` }, "listening");
});

/** Takes no more connections, lets running handlers end, closes the inbox. What is unfinished runs at the next start. */
async function close(signal: string): Promise<void> {
  log.info({ signal }, "closing");
  const closed = new Promise((resolve) => server.close(resolve));
  await receiver.close(); // from now on senders get 503 and come again
  server.closeAllConnections();
  await closed;
}

// Once: a second Ctrl-C ends the process at once.
process.once("SIGTERM", close);
process.once("SIGINT", close);
