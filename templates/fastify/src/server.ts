import { createReceiver } from "hookporter";
import { readProject, runServer } from "hookporter/config";
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

  const app = createApp(receiver);
  const address = await app.listen({ port, host }); // answers 503 until the receiver has started
  await receiver.start();
  // not beside the endpoint, which the internet reaches
  const metrics = await serveMetrics(receiver);
  log.info({ url: `${address}/webhooks` }, "listening"); // the actual port if PORT is 0

  return async (signal) => {
    log.info({ signal }, "closing");
    const closed = app.close();
    await receiver.close(); // senders now get 503 and retry later; running handlers end
    app.server.closeAllConnections();
    await closed;
    metrics.close();
  };
});
