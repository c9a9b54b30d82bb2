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

/**
 * Posts bytes, exactly as they are, to a target that was fixed beforehand; redirects are not followed.
 *
 * @throws HookporterError `target_unreachable`, naming the cause
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
    const response = await fetch(target, {
      method: "POST",
      headers: passedOn(headers),
      body,
      redirect: "manual",
      signal: signal === undefined ? timer : AbortSignal.any([signal, timer]),
    });
    const text = await readStart(response);
    const durationMs = Math.round((performance.now() - start) * 10) / 10;
    return {
      status: response.status,
      body: text,
      durationMs,
      ok: response.status >= 200 && response.status < 300,
    };
  } catch (thrown) {
    if (signal?.aborted === true) throw thrown;
    throw new HookporterError("target_unreachable", `${target.origin}: ${whyUnreachable(thrown, timeout)}`, {
      cause: thrown,
    });
  }
}

function passedOn(headers: DeliveryHeaders): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]) => {
    if (value === undefined || NOT_PASSED_ON.has(name.toLowerCase())) return [];
    return (typeof value === "string" ? [value] : value).map((one): [string, string] => [name, one]);
  });
}

async function readStart(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    length += chunk.byteLength;
    if (length >= MAX_ANSWER) break;
  }
  return Buffer.concat(chunks).subarray(0, MAX_ANSWER).toString("utf8");
}

/** `fetch` says only "fetch failed"; the reason is in the cause, or in the first of several. */
function whyUnreachable(thrown: unknown, timeout: number): string {
  if (thrown instanceof DOMException && thrown.name === "TimeoutError") return `no answer in ${timeout} ms`;
  let cause: unknown = thrown;
  while (cause instanceof Error && cause.cause !== undefined) cause = cause.cause;
  const first = cause instanceof AggregateError ? cause.errors[0] : cause;
  const code = (first as NodeJS.ErrnoException | undefined)?.code;
  if (code === "ECONNREFUSED") return "connection refused: nothing listens there; is the receiver started?";
  if (code === "ENOTFOUND") return "no such host: check the URL";
  if (code === "ECONNRESET" || code === "UND_ERR_SOCKET")
    return "the connection was closed before an answer came";
  return describeError(first);
}
