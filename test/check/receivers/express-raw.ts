import { timingSafeEqual } from "node:crypto";
import express from "express";
import { type AtEnd, type ReceiverUnderTest, rightSignature, serve } from "./under-test.ts";

/**
 * A correct receiver in Express, as Stripe and GitHub show it: `express.raw` at the route, for
 * every type.
 */
export async function expressRaw(atEnd?: AtEnd): Promise<ReceiverUnderTest> {
  const app = express();
  app.set("env", "test"); // no stack in the test's output
  app.post("/webhooks", express.raw({ type: () => true, inflate: false }), (request, response) => {
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    const given = Buffer.from(request.get("x-service-signature") ?? "");
    const expected = Buffer.from(rightSignature(body));
    if (given.length !== expected.length || !timingSafeEqual(given, expected))
      return response.sendStatus(401);
    try {
      const { event, data } = JSON.parse(body.toString("utf8"));
      return response.sendStatus(typeof event === "string" && typeof data === "object" ? 200 : 400);
    } catch {
      return response.sendStatus(400);
    }
  });
  return { url: await serve(app, atEnd) };
}
