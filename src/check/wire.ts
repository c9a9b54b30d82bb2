import { once } from "node:events";
import { type Agent, request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { setTimeout as wait } from "node:timers/promises";
import { describeError } from "../base/errors.ts";
import { connectOptions, noteRefusal } from "../http/connect-options.ts";
import { readRetryAfter } from "../http/retry-after.ts";
import { isIn, type ProbeAnswer } from "./answer.ts";
import { firstOf } from "./reachable.ts";

/** Part of a body: bytes, or milliseconds of silence before the next part. */
export type BodyPart = Uint8Array | number;

/** One request, exactly as sent. */
export interface WireRequest {
  readonly method: string;
  /** The raw request target. */
  readonly target: string;
  /** A list sends the header once per value. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Sent in chunks unless the headers contain a `content-length`. */
  readonly body: readonly BodyPart[];
  readonly trailers?: Readonly<Record<string, string>> | undefined;
  /** Milliseconds until the answer must begin. */
  readonly timeout: number;
  /** A connection to reuse; by default each request opens its own. */
  readonly agent?: Agent | undefined;
  /** Whether any certificate will do. */
  readonly insecure?: boolean;
  /** Milliseconds for which this process has been too busy to read, so far. */
  readonly lag?: () => number;
}

/** Pieces small enough that an early answer is read before the connection is reset. */
const PIECE = 64 * 1024;
/** Bytes of an answer's body that are kept. */
const EXCERPT = 200;
/** How long a sender that used `Expect: 100-continue` waits before it sends the body anyway. */
const CONTINUE_WAIT = 1000;

/**
 * Sends one request and returns its answer; never rejects. Does not follow redirects, decode or
 * retry.
 */
export function exchange(
  url: URL,
  { method, target, headers, timeout, agent, insecure, lag = () => 0, ...rest }: WireRequest,
): Promise<ProbeAnswer> {
  return new Promise((resolve) => {
    const request = url.protocol === "https:" ? httpsRequest : httpRequest;
    const trust = insecure === true ? { rejectUnauthorized: false } : {};
    const connection = { agent: agent ?? false, ...trust, ...connectOptions(url) };
    const outgoing = request(url, { method, path: target, ...connection });
    let answer: ProbeAnswer | undefined;
    let sentAt: number | undefined;
    const end = (fallback: ProbeAnswer) => {
      clearTimeout(timer);
      stop.abort();
      resolve(answer ?? fallback);
      if (agent === undefined || answer?.type !== "status") outgoing.destroy();
    };
    const stop = new AbortController();
    const timer = setTimeout(() => {
      if (answer?.type === "status" && isIn(answer, ["2xx"]))
        answer = { type: "endless", status: answer.status };
      end({ type: "silent" });
    }, timeout);
    outgoing.on("response", (incoming: IncomingMessage) => {
      const tookMs =
        sentAt === undefined
          ? undefined
          : Math.max(0, Math.round(performance.now() - lag() - sentAt));
      const retryAfter = readRetryAfter(incoming.headers["retry-after"], Date.now());
      const status = {
        type: "status" as const,
        status: incoming.statusCode ?? 0,
        ...(tookMs !== undefined && { tookMs }),
        ...(retryAfter !== undefined && { retryAfter }),
      };
      answer = status;
      let excerpt = Buffer.alloc(0);
      incoming.on("data", (chunk: Buffer) => {
        if (excerpt.byteLength >= EXCERPT) return;
        excerpt = Buffer.concat([excerpt, chunk]).subarray(0, EXCERPT);
        answer = { ...status, text: excerpt.toString("utf8") };
      });
      incoming.on("end", () => end({ type: "closed" })).on("error", () => end({ type: "closed" }));
    });
    outgoing.on("finish", () => {
      sentAt = performance.now() - lag();
    });
    outgoing.on("error", (error) => {
      noteRefusal(url, error);
      end(failure(error));
    });
    outgoing.on("close", () => end({ type: "closed" }));
    for (const [name, value] of Object.entries(headers)) outgoing.setHeader(name, value);
    write(outgoing, rest, stop.signal).catch(() => {}); // the request reports its own error
  });
}

async function write(
  outgoing: ReturnType<typeof httpRequest>,
  { body, trailers }: Pick<WireRequest, "body" | "trailers">,
  stop: AbortSignal,
): Promise<void> {
  if (outgoing.hasHeader("expect")) {
    outgoing.flushHeaders();
    const late = wait(CONTINUE_WAIT, undefined, { signal: stop }).catch(() => {});
    await Promise.race([reached(outgoing, "continue", stop), late]);
  }
  for (const part of body) {
    if (typeof part === "number") {
      await wait(part, undefined, { signal: stop });
      continue;
    }
    for (let at = 0; at < part.byteLength; at += PIECE) {
      if (stop.aborted) return;
      if (!outgoing.write(part.subarray(at, at + PIECE))) await reached(outgoing, "drain", stop);
    }
  }
  if (trailers !== undefined) outgoing.addTrailers(trailers);
  outgoing.end();
}

/** Waits for an event of the request, unless it stops before. */
async function reached(
  outgoing: ReturnType<typeof httpRequest>,
  event: string,
  signal: AbortSignal,
) {
  await once(outgoing, event, { signal }).catch(() => {}); // the request reports its own error
}

const NO_CONNECTION = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ETIMEDOUT",
]);

function failure(error: NodeJS.ErrnoException): ProbeAnswer {
  const first = firstOf(error);
  if (!NO_CONNECTION.has(first.code ?? "")) return { type: "closed" };
  return { type: "unreachable", detail: describeError(first) };
}

/** The bytes of a body in parts, without its pauses. */
export function lengthOf(parts: readonly BodyPart[]): number {
  return parts.reduce<number>(
    (sum, part) => sum + (typeof part === "number" ? 0 : part.byteLength),
    0,
  );
}
