import express from "express";
import { type AtEnd, type ReceiverUnderTest, rightSignature, serve } from "./under-test.ts";

/**
 * Verifies the raw bytes correctly, but only if method and path are exactly `POST /webhooks`.
 * Express routes more than that to the handler: other methods, a header that replaces the method,
 * capitals, a closing slash, a query. `/runs` observes it.
 */
export async function checkByRoute(atEnd?: AtEnd): Promise<ReceiverUnderTest> {
  const runs = new Map<string, number>();
  const app = express();
  app.set("env", "test"); // no stack in the test's output
  app.get("/runs", ({ query }, response) => {
    response.send(String(runs.get(String(query.marker)) ?? 0));
  });
  app.use((request, _, next) => {
    request.method = request.get("x-http-method-override") ?? request.method;
    next();
  });
  app.use(express.raw({ type: () => true }), (request, response, next) => {
    if (request.method !== "POST" || request.originalUrl !== "/webhooks") return next();
    const isRight = request.get("x-service-signature") === rightSignature(request.body ?? "");
    return isRight ? next() : response.sendStatus(401);
  });
  app.all("/webhooks", ({ body }, response) => {
    const { data } = JSON.parse(String(body));
    runs.set(data.id, (runs.get(data.id) ?? 0) + 1);
    response.sendStatus(200);
  });
  const url = await serve(app, atEnd);
  return { url, observe: `${url.origin}/runs` };
}
