import { Hono } from "hono";
import type { Receiver } from "hookporter";
import { fetchReceiver } from "hookporter/fetch";

/** The Hono app: the endpoint, and routes for probes. */
export function createApp(receiver: Pick<Receiver, "receive" | "checkReady">): Hono {
  const app = new Hono({ strict: false }); // `/webhooks/` is the same endpoint

  // Before any middleware that reads bodies: the signature covers the raw bytes.
  const receive = fetchReceiver(receiver);
  app.all("/webhooks", (context) => receive(context.req.raw));

  app.get("/healthz", (context) => context.json({ alive: true })); // restart it if this fails

  // Accepts deliveries: send none if this fails, but do not restart it, which frees no disk and
  // mends no database.
  app.get("/readyz", async (context) => {
    const refusing = await receiver.checkReady(); // reads the inbox, too
    return context.json({ status: refusing ?? "ok" }, refusing === undefined ? 200 : 503);
  });

  return app;
}
