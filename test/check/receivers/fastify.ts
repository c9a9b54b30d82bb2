import { timingSafeEqual } from "node:crypto";
import fastify, { type FastifyInstance } from "fastify";
import { onTestFinished } from "vitest";
import { type AtEnd, type ReceiverUnderTest, rightSignature } from "./under-test.ts";

/**
 * A correct receiver in Fastify: a parser for every type that keeps the bytes. `/runs` observes it.
 */
export async function fastifyRight(atEnd?: AtEnd): Promise<ReceiverUnderTest> {
  const app = fastify();
  const runs = withRuns(app);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_, body, done) => done(null, body));
  app.post("/webhooks", async ({ headers, body }, reply) => {
    const raw = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
    const given = Buffer.from(String(headers["x-service-signature"] ?? ""));
    const expected = Buffer.from(rightSignature(raw));
    if (given.length !== expected.length || !timingSafeEqual(given, expected))
      return reply.code(401).send();
    return take(raw, runs) ? reply.code(200).send() : reply.code(400).send();
  });
  return listen(app, atEnd);
}

/** The most common mistake: verifies JSON made from the parsed body. */
export async function fastifyStringify(atEnd?: AtEnd): Promise<ReceiverUnderTest> {
  const app = fastify();
  const runs = withRuns(app);
  app.post("/webhooks", async ({ headers, body }, reply) => {
    const text = JSON.stringify(body);
    if (headers["x-service-signature"] !== rightSignature(text)) return reply.code(401).send();
    return take(Buffer.from(text), runs) ? reply.code(200).send() : reply.code(400).send();
  });
  return listen(app, atEnd);
}

type Runs = Map<string, Set<string>>;

function withRuns(app: FastifyInstance): Runs {
  const runs: Runs = new Map();
  app.get<{ Querystring: { marker: string } }>("/runs", async ({ query }) =>
    String(runs.get(query.marker)?.size ?? 0),
  );
  return runs;
}

/** Runs an event once; returns whether it is one. */
function take(body: Buffer, runs: Runs): boolean {
  try {
    const { event, timestamp, data } = JSON.parse(body.toString("utf8"));
    if (typeof event !== "string" || typeof data.id !== "string") return false;
    const keys = runs.get(data.id) ?? new Set();
    runs.set(data.id, keys.add(JSON.stringify([timestamp, Object.entries(data).sort()])));
    return true;
  } catch {
    return false;
  }
}

async function listen(
  app: FastifyInstance,
  atEnd: AtEnd = onTestFinished,
): Promise<ReceiverUnderTest> {
  const origin = await app.listen({ host: "127.0.0.1", port: 0 });
  atEnd(async () => {
    app.server.closeAllConnections();
    await app.close();
  });
  return { url: new URL("/webhooks", origin), observe: `${origin}/runs` };
}
