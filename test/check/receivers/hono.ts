import { timingSafeEqual } from "node:crypto";
import { getRequestListener } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { type AtEnd, type ReceiverUnderTest, rightSignature, serve } from "./under-test.ts";

/** A correct receiver in Hono: it reads the bytes. */
export function honoRight(atEnd?: AtEnd): Promise<ReceiverUnderTest> {
  return hono(async ({ req }) => Buffer.from(await req.arrayBuffer()), atEnd);
}

/** Verifies `c.req.text()`: decoding drops a byte order mark, and changes invalid bytes. */
export function honoText(atEnd?: AtEnd): Promise<ReceiverUnderTest> {
  return hono(async ({ req }) => Buffer.from(await req.text()), atEnd);
}

async function hono(
  read: (context: Context) => Promise<Buffer>,
  atEnd: AtEnd | undefined,
): Promise<ReceiverUnderTest> {
  const app = new Hono();
  app.onError((_, context) => context.body(null, 400)); // else it prints bodies that were cut off
  app.post("/webhooks", async (context) => {
    const body = await read(context);
    const given = Buffer.from(context.req.header("x-service-signature") ?? "");
    const expected = Buffer.from(rightSignature(body));
    if (given.length !== expected.length || !timingSafeEqual(given, expected))
      return context.body(null, 401);
    try {
      const { event, data } = JSON.parse(body.toString("utf8"));
      return context.body(null, typeof event === "string" && typeof data === "object" ? 200 : 400);
    } catch {
      return context.body(null, 400);
    }
  });
  return { url: await serve(getRequestListener(app.fetch), atEnd) };
}
