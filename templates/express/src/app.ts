import express, { type Express } from "express";
import type { Receiver } from "hookporter";
import { expressReceiver } from "hookporter/express";

/** The Express app: the endpoint, and routes for probes. */
export function createApp(receiver: Pick<Receiver, "receive" | "checkReady">): Express {
  const app = express();
  app.disable("x-powered-by");

  // Before anything that reads bodies, such as express.json(): the signature covers the raw bytes.
  app.use("/webhooks", expressReceiver(receiver));

  // restart it if this fails
  app.get("/healthz", (_request, response) => void response.json({ alive: true }));

  // Accepts deliveries: send none if this fails, but do not restart it, which frees no disk and
  // mends no database.
  app.get("/readyz", async (_request, response) => {
    const refusing = await receiver.checkReady(); // reads the inbox, too
    response.status(refusing === undefined ? 200 : 503).json({ status: refusing ?? "ok" });
  });

  return app;
}
