import type { IncomingMessage } from "node:http";
import express, { type RequestHandler } from "express";
import { type AtEnd, type ReceiverUnderTest, rightSignature, serve } from "./under-test.ts";

/**
 * Verifies in `express.json({ verify })`, which runs for application/json alone, and takes forms
 * too.
 */
export function verifyBesideForms(atEnd?: AtEnd): Promise<ReceiverUnderTest> {
  return expressVerify(express.urlencoded({ extended: true }), atEnd);
}

/**
 * The same, but takes text of every type too, so that the sender's Content-Type does not matter.
 */
export function verifyBesideText(atEnd?: AtEnd): Promise<ReceiverUnderTest> {
  return expressVerify(express.text({ type: () => true }), atEnd);
}

/** The same, but keeps the bytes of `application/octet-stream`, and parses them itself. */
export function verifyBesideRaw(atEnd?: AtEnd): Promise<ReceiverUnderTest> {
  return expressVerify(express.raw(), atEnd);
}

/**
 * Verifies the raw bytes correctly, but runs whatever either parser has put into `request.body`;
 * `/runs` observes it.
 */
async function expressVerify(other: RequestHandler, atEnd?: AtEnd): Promise<ReceiverUnderTest> {
  const runs = new Map<string, number>();
  const app = express();
  app.set("env", "test"); // no stack in the test's output
  app.get("/runs", ({ query }, response) => {
    response.send(String(runs.get(String(query.marker)) ?? 0));
  });
  app.use(express.json({ verify }), other);
  app.post("/webhooks", ({ body }, response) => {
    const event =
      typeof body === "string" || Buffer.isBuffer(body) ? JSON.parse(String(body)) : body;
    const id = String(event.data.id);
    runs.set(id, (runs.get(id) ?? 0) + 1);
    response.sendStatus(200);
  });
  const url = await serve(app, atEnd);
  return { url, observe: `${url.origin}/runs` };
}

/** Throws if the signature is wrong; Express answers 403 then. */
function verify({ headers }: IncomingMessage, _: unknown, body: Buffer): void {
  if (headers["x-service-signature"] !== rightSignature(body)) throw new Error("wrong signature");
}
