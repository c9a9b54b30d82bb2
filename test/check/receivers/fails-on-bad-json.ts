import { timingSafeEqual } from "node:crypto";
import express from "express";
import { type AtEnd, type ReceiverUnderTest, rightSignature, serve } from "./under-test.ts";

/**
 * Verifies the raw bytes correctly, then turns every error into a 500, even when comparing unequal
 * lengths.
 */
export async function failsOnBadJson(atEnd?: AtEnd): Promise<ReceiverUnderTest> {
  const app = express();
  app.set("env", "test");
  app.post("/webhooks", express.raw({ type: "*/*" }), (request, response) => {
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    const given = Buffer.from(request.get("x-service-signature") ?? "");
    if (!timingSafeEqual(given, Buffer.from(rightSignature(body)))) return response.sendStatus(401);
    const { event, data } = JSON.parse(body.toString("utf8"));
    return response.status(200).send(`${event.toUpperCase()} ${data.id}`);
  });
  return { url: await serve(app, atEnd) };
}
