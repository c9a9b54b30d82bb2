import { createAdaptorServer } from "@hono/node-server";
import { Hono } from "hono";
import { checkAndParse } from "./check.ts";
import { type Contestant, onLoopback } from "./contestant.ts";

/** Hono on its adapter for Node: HMAC and `JSON.parse`. No validation, no dedup, no store. */
export const hono: Contestant = {
  dialect: "service",
  start: () => {
    const app = new Hono();
    app.post("/webhooks", async (context) => {
      const body = Buffer.from(await context.req.arrayBuffer());
      const event = checkAndParse(body, context.req.header("x-service-signature"));
      return event === undefined
        ? context.json({ error: "signature" }, 401)
        : context.json({ received: true }, 200);
    });
    return onLoopback(
      createAdaptorServer({ fetch: app.fetch }) as Parameters<typeof onLoopback>[0],
    );
  },
};
