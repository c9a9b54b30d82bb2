import express, { type Express } from "express";
import type { Receiver } from "hookporter";
import { expressReceiver } from "hookporter/express";

/** The Express app: the endpoint, and routes for probes. */
export function createApp(receiver: Pick<Receiver, "receive" | "inbox" | "ready" | "refusing">): Express {
  const app = express();
  app.disable("x-powered-by");

  // Before anything that reads bodies, such as express.json(): the signature covers the raw bytes.
  app.use("/webhooks", expressReceiver(receiver));

  app.get("/healthz", (_request, response) => void response.json({ alive: true })); // restart it if this fails

  // Accepts deliveries: send none if this fails, but do not restart it, which frees no disk and mends no database.
  app.get("/readyz", async (_request, response) => {
    try {
      await receiver.inbox.nextRunAt(); // fails unless the inbox is open and readable
      response.status(receiver.ready ? 200 : 503).json({ status: receiver.refusing ?? "ok" });
    } catch {
      response.status(503).json({ status: "unavailable" });
    }
  });

  return app;
}
