import express from "express";
import { type AtEnd, type ReceiverUnderTest, rightSignature, serve } from "./under-test.ts";

/**
 * Verifies the raw bytes correctly, but only in two branches of its `switch`, and answers a ping
 * before that. `/runs` observes it.
 */
export async function checkByKind(atEnd?: AtEnd): Promise<ReceiverUnderTest> {
  const runs = new Map<string, number>();
  const app = express();
  app.set("env", "test"); // no stack in the test's output
  app.get("/runs", ({ query }, response) => {
    response.send(String(runs.get(String(query.marker)) ?? 0));
  });
  app.post("/webhooks", express.raw({ type: () => true }), (request, response) => {
    const { event, data } = JSON.parse(String(request.body));
    const isRight = () => request.get("x-service-signature") === rightSignature(request.body);
    switch (event) {
      case "property.created":
      case "payment.received":
        if (!isRight()) return response.sendStatus(401);
        break;
      case "ping":
        return response.sendStatus(200);
    }
    runs.set(data.id, (runs.get(data.id) ?? 0) + 1);
    return response.sendStatus(200);
  });
  const url = await serve(app, atEnd);
  return { url, observe: `${url.origin}/runs` };
}
