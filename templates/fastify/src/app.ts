import fastify, { type FastifyInstance } from "fastify";
import type { Receiver } from "hookporter";
import { fastifyReceiver } from "hookporter/fastify";

/** The Fastify app: the endpoint, and routes for probes. */
export function createApp(receiver: Pick<Receiver, "receive" | "checkReady">): FastifyInstance {
  const app = fastify();

  // It reads the raw bytes, which the signature covers, itself: parsers, body limits and error
  // handlers of the app do not matter.
  app.register(fastifyReceiver(receiver, { path: "/webhooks" }));

  app.get("/healthz", async () => ({ alive: true })); // restart it if this fails

  // Accepts deliveries: send none if this fails, but do not restart it, which frees no disk and
  // mends no database.
  app.get("/readyz", async (_request, reply) => {
    const refusing = await receiver.checkReady(); // reads the inbox, too
    return reply.status(refusing === undefined ? 200 : 503).send({ status: refusing ?? "ok" });
  });

  return app;
}
