import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { describeError, HookporterError } from "../errors.ts";
import type { DeliveryHeaders } from "../event/delivery.ts";

/** What a target answered. */
export interface TargetAnswer {
  readonly status: number;
  /** The start of the answer's body, as text, at most 64 KiB. */
  readonly body: string;
  readonly durationMs: number;
  /** Whether the status is 2xx. */
  readonly ok: boolean;
}

/** What to send. */
export interface Sending {
  readonly target: URL;
  readonly headers: DeliveryHeaders;
  readonly body: Uint8Array;
  /** Milliseconds until the target must have answered. Default 30 000. */
  readonly timeout?: number;
  readonly signal?: AbortSignal;
}

const MAX_ANSWER = 64 * 1024;

/** What belongs to one connection or is made anew for each. */
const NOT_PASSED_ON = new Set([
  "accept-encoding",
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Connections to targets are kept open between sendings. `fetch` is not used: it refuses ports that browsers refuse. */
const AGENTS = { "http:": new HttpAgent({ keepAlive: true }), "https:": new HttpsAgent({ keepAlive: true }) };

/**
 * Posts bytes, exactly as they are, to a target that was fixed beforehand; redirects are not followed.
 *
 * @throws HookporterError `target_unreachable`, naming the cause; the signal's reason when it was aborted
 */
export async function send({
  target,
  headers,
  body,
  timeout = 30_000,
  signal,
}: Sending): Promise<TargetAnswer> {
  const start = performance.now();
  const timer = AbortSignal.timeout(timeout);
  try {
    const response = await post(
      target,
      sentHeaders(headers),
      body,
      AbortSignal.any(signal ? [signal, timer] : [timer]),
    );
    const status = response.statusCode ?? 0;
    const text = await readStart(response);
    const durationMs = Math.round((performance.now() - start) * 10) / 10;
    return { status, body: text, durationMs, ok: status >= 200 && status < 300 };
  } catch (thrown) {
    if (signal?.aborted === true) throw signal.reason;
    const why = timer.aborted ? `no answer in ${timeout} ms` : whyUnreachable(thrown);
    throw new HookporterError("target_unreachable", `${target.origin}: ${why}`, { cause: thrown });
  }
}

function post(
  target: URL,
  headers: Readonly<Record<string, readonly string[]>>,
  body: Uint8Array,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const secure = target.protocol === "https:";
    const options = { method: "POST", agent: AGENTS[secure ? "https:" : "http:"], signal };
    const sending = (secure ? httpsRequest : httpRequest)(target, {
      ...options,
      headers: { ...headers, "content-length": body.byteLength },
    });
    sending.on("response", resolve).on("error", reject);
    sending.end(body);
  });
}

/** The headers that go out for these: those of one connection are left out, each value is a list. */
export function sentHeaders(headers: DeliveryHeaders): Readonly<Record<string, readonly string[]>> {
  const kept = Object.entries(headers).filter(([name]) => !NOT_PASSED_ON.has(name.toLowerCase()));
  return Object.fromEntries(
    kept.flatMap(([name, value]) => (value === undefined ? [] : [[name, [value].flat()]])),
  );
}

async function readStart(response: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response) {
    chunks.push(chunk);
    length += chunk.byteLength;
    if (length >= MAX_ANSWER) break;
  }
  return Buffer.concat(chunks).subarray(0, MAX_ANSWER).toString("utf8");
}

/** The cause in words; where several addresses were tried, that of the first. */
function whyUnreachable(thrown: unknown): string {
  const first = thrown instanceof AggregateError ? thrown.errors[0] : thrown;
  const code = (first as NodeJS.ErrnoException | undefined)?.code;
  if (code === "ECONNREFUSED") return "connection refused: nothing listens there; is the receiver started?";
  if (code === "ENOTFOUND") return "no such host: check the URL";
  if (code === "ECONNRESET") return "the connection was closed before an answer came";
  return describeError(first);
}
