// One process of the fleet. ROLE says what it does with the inbox: `receive`, `run` or `both`.
import { createServer } from "node:http";
import process from "node:process";
import { setTimeout as wait } from "node:timers/promises";
import { createReceiver } from "hookporter";
import { nodeReceiver } from "hookporter/node";
import handlers from "./handlers.js";

const { ROLE: role = "both", HOST: host = "0.0.0.0", PORT: port = "3000" } = process.env;
/**
 * Milliseconds until the balancer has noticed that this process is not ready: twice the interval of
 * its checks.
 */
const notice = Number(process.env.NOTICE_MS ?? 4000);

const receiver = createReceiver({
  secret: process.env.HOOKPORTER_SECRET,
  inbox: process.env.DATABASE_URL,
  role,
  handlers,
});
await receiver.start();

let leaving = false;
const receive = nodeReceiver(receiver, { path: "/webhooks" });
// Longer than the balancer keeps idle connections.
const server = createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
  // The balancer would go on using the connections that it has, and the server could never close.
  if (leaving) response.setHeader("Connection", "close");
  if (request.url !== "/ready") receive(request, response);
  else response.writeHead(receiver.ready && !leaving ? 200 : 503).end();
});
server.listen(Number(port), host, () => {
  process.stdout.write(`${role}: listening on ${server.address().port}\n`);
});

// Leave first, so that nobody is answered 503: the balancer sends no more, then the last requests
// are answered, then the last handlers end.
process.once("SIGTERM", async () => {
  leaving = true;
  if (role !== "run") await wait(notice);
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeIdleConnections();
  await closed;
  await receiver.close();
  process.exit();
});
