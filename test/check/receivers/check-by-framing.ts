import express from "express";
import { type AtEnd, type ReceiverUnderTest, rightSignature, serve } from "./under-test.ts";

/**
 * Verifies the raw bytes correctly, but takes a request without Content-Length for one without a
 * body, such as a health check, and leaves encoded bodies to Express, which decodes them. `/runs`
 * observes it.
 */
export async function checkByFraming(atEnd?: AtEnd): Promise<ReceiverUnderTest> {
  const runs = new Map<string, number>();
  const app = express();
  app.set("env", "test"); // no stack in the test's output
  app.get("/runs", ({ query }, response) => {
    response.send(String(runs.get(String(query.marker)) ?? 0));
  });
  app.use("/webhooks", (request, response, next) => {
    if (
      request.get("content-length") === undefined ||
      request.get("content-encoding") !== undefined
    )
      return next();
    const verify = (): void => {
      const isRight = request.get("x-service-signature") === rightSignature(request.body ?? "");
      if (isRight) next();
      else response.sendStatus(401);
    };
    return express.raw({ type: () => true })(request, response, verify);
  });
  app.use(express.json({ type: () => true }));
  app.post("/webhooks", ({ body }, response) => {
    const event = Buffer.isBuffer(body) ? JSON.parse(body.toString("utf8")) : body;
    const id = String(event.data.id);
    runs.set(id, (runs.get(id) ?? 0) + 1);
    response.sendStatus(200);
  });
  const url = await serve(app, atEnd);
  return { url, observe: `${url.origin}/runs` };
}
