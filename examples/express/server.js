// An Express app with an endpoint for webhooks, and a route of its own.
import { once } from "node:events";
import express from "express";
import { createReceiver } from "hookporter";
import { readProject, runServer } from "hookporter/config";
import { createWebhookServer, expressReceiver } from "hookporter/express";
import handlers, { payments } from "./handlers.js";

// On SIGTERM and Ctrl-C, runServer calls the function that this one returns.
await runServer(async () => {
  const { secret, inbox, host, port } = readProject(); // from .env and hookporter.config.json
  const receiver = createReceiver({ secret, inbox, handlers });
  await receiver.start();

  const app = express();
  // before body parsers: the signature covers the raw bytes
  app.use("/webhooks", expressReceiver(receiver));
  app.use(express.json());
  app.get("/payments", (_request, response) => response.json([...payments.values()]));

  const server = createWebhookServer(app).listen(port, host); // like app.listen(), but faster
  await once(server, "listening");
  console.log(`listening on http://${host}:${server.address().port}`);

  return async () => {
    server.close();
    await receiver.close(); // running handlers end first
    server.closeAllConnections();
  };
});
