import { createHmac } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type AtEnd, type ReceiverUnderTest, SECRET, serve } from "./under-test.ts";

/** A request, as a receiver sees it. */
export interface Seen {
  readonly request: IncomingMessage;
  readonly body: Buffer;
  /** What the signature header has after `sha256=`, or the whole value; empty without one. */
  readonly digits: string;
  /** The digits of the right signature. */
  readonly right: string;
  /** The body's JSON, or an empty object. */
  readonly event: {
    event?: string;
    timestamp?: string;
    data?: { id?: string };
    webhook?: { id?: string };
  };
  readonly socket: object;
}

/** How a receiver goes wrong, or what it demands besides; by default neither. */
export interface Made {
  /** Whether it takes the signature. Default: if it is the right one. */
  readonly accepts?: (seen: Seen) => boolean | Promise<boolean>;
  /** An answer in place of that, before the signature or after it. */
  readonly before?: (
    seen: Seen,
  ) => number | readonly [number, Record<string, string>, string?] | undefined;
  readonly after?: (
    seen: Seen,
  ) => number | readonly [number, Record<string, string>, string?] | undefined;
  /** What it takes for the same event. Default: the bytes. */
  readonly key?: (seen: Seen) => string;
  /** Whether an event that it accepted runs. Default: always. */
  readonly runs?: (seen: Seen) => boolean;
}

/** Whether the signature is the right one. */
export const isRight = ({ request, right }: Seen): boolean =>
  request.headers["x-service-signature"] === `sha256=${right}`;

/**
 * A receiver at `/webhooks`, with `/runs` to observe it. Right, except for what it is made with.
 */
export async function made(
  { accepts = isRight, before, after, key = ({ body }) => String(body), runs = () => true }: Made,
  atEnd?: AtEnd,
): Promise<ReceiverUnderTest> {
  const ran = new Map<string, number>();
  const known = new Set<string>();
  const url = await serve(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://127.0.0.1");
    if (pathname === "/runs")
      return response.end(String(ran.get(searchParams.get("marker") ?? "") ?? 0));
    if (pathname !== "/webhooks") return end(response, 404);
    const body = await read(request);
    if (body === undefined) return end(response, 413);
    const seen = seenIn(request, body);
    const early = before?.(seen);
    if (early !== undefined) return end(response, early);
    if (request.method !== "POST") return end(response, 405);
    if (!(await accepts(seen))) return end(response, 401);
    const late = after?.(seen);
    if (late !== undefined) return end(response, late);
    const { event, data } = seen.event;
    if (event === undefined || data?.id === undefined) return end(response, 400);
    if (!known.has(key(seen))) {
      known.add(key(seen));
      if (runs(seen)) ran.set(String(data.id), (ran.get(String(data.id)) ?? 0) + 1);
    }
    return end(response, 200);
  }, atEnd);
  return { url, observe: `${url.origin}/runs?marker={marker}` };
}

function seenIn(request: IncomingMessage, body: Buffer): Seen {
  const digits = String(request.headers["x-service-signature"] ?? "").replace(/^sha256=/, "");
  const right = createHmac("sha256", SECRET).update(body).digest("hex");
  let event: Seen["event"] = {};
  try {
    event = JSON.parse(body.toString("utf8")) ?? {};
  } catch {
    // answered 400 later, if the signature is right
  }
  return { request, body, digits, right, event, socket: request.socket };
}

async function read(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  return body.byteLength > 1024 * 1024 ? undefined : body;
}

function end(
  response: ServerResponse,
  answer: number | readonly [number, Record<string, string>, string?],
): void {
  const [status, headers = {}, text] = typeof answer === "number" ? [answer] : answer;
  response.writeHead(status, headers).end(text);
}
