import express from "express";
import { type AtEnd, type ReceiverUnderTest, rightSignature, serve } from "./under-test.ts";

/** The most common mistake: parses the body first, and verifies JSON made from it. */
export async function expressJson(atEnd?: AtEnd): Promise<ReceiverUnderTest> {
  const app = express();
  app.set("env", "test"); // no stack in the test's output
  app.use(express.json());
  app.post("/webhooks", (request, response) => {
    const expected = rightSignature(JSON.stringify(request.body));
    if (request.get("x-service-signature") !== expected)
      return response.status(401).send("bad signature");
    return response.status(200).send("ok");
  });
  return { url: await serve(app, atEnd) };
}
