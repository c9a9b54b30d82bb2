import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type AtEnd, type ReceiverUnderTest, rightSignature, serve } from "./under-test.ts";

const LIMIT = 1024 * 1024;
/** Milliseconds: five times what the slowest honest body takes. */
const BODY_TIME = 3000;
const UTC = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|\+00:00)$/;
const DAY = 86_400_000;

/**
 * A correct receiver, written by hand with `node:http` and without hookporter; `/runs?marker=…`
 * observes it.
 */
export async function right(atEnd?: AtEnd): Promise<ReceiverUnderTest> {
  const keys = new Set<string>();
  const runs = new Map<string, number>();
  const url = await serve(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
    if (pathname === "/runs")
      return end(response, 200, String(runs.get(searchParams.get("marker") ?? "") ?? 0));
    if (request.url !== "/webhooks") return end(response, 404);
    if (request.method !== "POST") return end(response, 405);
    if (request.headers["content-encoding"] !== undefined) return end(response, 415);
    const body = await readBytes(request);
    if (typeof body === "number") return end(response, body, "", true);
    if (!isSigned(request.headers["x-service-signature"], body)) return end(response, 401);
    const event = readEvent(body);
    if (event === undefined) return end(response, 400);
    if (!keys.has(event.key)) {
      keys.add(event.key);
      runs.set(event.id, (runs.get(event.id) ?? 0) + 1);
    }
    return end(response, 200);
  }, atEnd);
  return { url, observe: `${url.origin}/runs` };
}

function isSigned(given: string | readonly string[] | undefined, body: Uint8Array): boolean {
  if (typeof given !== "string" || !/^sha256=[0-9a-f]{64}$/.test(given)) return false;
  return timingSafeEqual(Buffer.from(given), Buffer.from(rightSignature(body)));
}

function readBytes(request: IncomingMessage): Promise<Buffer | number> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const timer = setTimeout(() => resolve(408), BODY_TIME);
    const done = (result: Buffer | number) => {
      clearTimeout(timer);
      request.pause();
      resolve(result);
    };
    request.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.byteLength;
      if (length > LIMIT) done(413);
    });
    request.on("end", () => done(Buffer.concat(chunks)));
    request.on("error", () => done(400));
  });
}

function readEvent(body: Buffer): { id: string; key: string } | undefined {
  try {
    const event = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
    const objects = [event, event.data, event.webhook].every(
      (one) => typeof one === "object" && one !== null,
    );
    const age = Date.now() - Date.parse(event.timestamp);
    const date = new Date(event.timestamp).toISOString();
    const fits =
      typeof event.event === "string" &&
      UTC.test(event.timestamp) &&
      date.startsWith(event.timestamp.slice(0, 10));
    return objects && fits && age < 7 * DAY && age > -300_000
      ? { id: String(event.data.id), key: sorted({ ...event, webhook: null }) }
      : undefined;
  } catch {
    return undefined;
  }
}

/** JSON with sorted keys, so that spelling does not matter. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_, one) => {
    if (typeof one !== "object" || one === null || Array.isArray(one)) return one;
    return Object.fromEntries(
      Object.entries(one).sort(([left], [right]) => (left < right ? -1 : 1)),
    );
  });
}

function end(response: ServerResponse, status: number, text = "", close = false): void {
  if (!response.headersSent)
    response.writeHead(status, close ? { connection: "close" } : {}).end(text);
}
