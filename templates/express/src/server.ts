import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createReceiver } from "hookporter";
import { readProject, runServer } from "hookporter/config";
import { createWebhookServer } from "hookporter/express";
import { createApp } from "./app.ts";
import handlers from "./handlers/index.ts";
import { log } from "./log.ts";
import { serveMetrics } from "./metrics.ts";

/**
 * An error of the start is one line; SIGTERM and SIGINT close the server. A second Ctrl-C ends the
 * process at once.
 */
await runServer(async () => {
  const { secret, inbox, host, port } = readProject(); // from .env and hookporter.config.json
  // Docker kills after 10 s
  const receiver = createReceiver({ secret, inbox, handlers, log, drainTimeout: 8_000 });

  // Like `app.listen()`, but several times as fast on Node 20 and 22. It answers 503 until the
  // receiver has started.
  const server = createWebhookServer(createApp(receiver)).listen(port, host);
  await once(server, "listening");
  await receiver.start();
  // not beside the endpoint, which the internet reaches
  const metrics = await serveMetrics(receiver);
  const { port: bound } = server.address() as AddressInfo; // the actual port if PORT is 0
  log.info({ url: `http://${host}:${bound}/webhooks` }, "listening");

  return async (signal) => {
    log.info({ signal }, "closing");
    const closed = new Promise((resolve) => server.close(resolve));
    await receiver.close(); // senders now get 503 and retry later; running handlers end
    server.closeAllConnections();
    await closed;
    metrics.close();
  };
});
