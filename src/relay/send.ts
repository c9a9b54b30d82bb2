import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { HookporterError } from "../errors.ts";
import type { DeliveryHeaders } from "../event/delivery.ts";
import { HOP_BY_HOP } from "./hop-by-hop.ts";
import { whyUnreachable } from "./unreachable.ts";

/** What a target answered. */
export interface TargetAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The answer's body as text: its beginning, where it is longer than `maxAnswer`. */
  readonly body: string;
  /** The same as bytes. */
  readonly bytes: Uint8Array;
  /** Whether the body was longer than `maxAnswer`. */
  readonly cut: boolean;
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
  /** Bytes of the answer's body that are read. Default 64 KiB. */
  readonly maxAnswer?: number;
  readonly signal?: AbortSignal;
}

const MAX_ANSWER = 64 * 1024;

/** What belongs to one connection or is made anew for each. */
const NOT_PASSED_ON = new Set([...HOP_BY_HOP, "accept-encoding", "content-length", "expect", "host"]);

/** Connections to targets are kept open between sendings. `fetch` is not used: it refuses ports that browsers refuse. */
const AGENTS = { "http:": new HttpAgent({ keepAlive: true }), "https:": new HttpsAgent({ keepAlive: true }) };

/**
 * Posts bytes, exactly as they are, to a target that was fixed beforehand; redirects are not followed.
 *
 * @throws HookporterError `target_unreachable`, naming cause and fix; the signal's reason when it was aborted
 */
export async function send({
  target,
  headers,
  body,
  timeout = 30_000,
  maxAnswer = MAX_ANSWER,
  signal,
}: Sending): Promise<TargetAnswer> {
  const start = performance.now();
  const timer = AbortSignal.timeout(timeout);
  const own = AbortSignal.any(signal ? [signal, timer] : [timer]);
  const progress = { connected: false };
  try {
    const response = await post(target, { headers: sentHeaders(headers), body, signal: own, progress });
    const status = response.statusCode ?? 0;
    const { bytes, cut } = await readStart(response, maxAnswer);
    const durationMs = Math.round((performance.now() - start) * 10) / 10;
    const text = Buffer.from(bytes).toString("utf8");
    const ok = status >= 200 && status < 300;
    return { status, headers: response.headers, body: text, bytes, cut, durationMs, ok };
  } catch (thrown) {
    if (signal?.aborted === true) throw signal.reason;
    if (timer.aborted) throw overdue(target, timeout, progress.connected, timer.reason);
    const why = await whyUnreachable(thrown, target);
    throw new HookporterError("target_unreachable", `${target.origin}: ${why}`, { cause: thrown });
  }
}

/** Whether what {@link send} threw is about the time that was over, not about a target that cannot be reached. */
export function isOverdue(thrown: unknown): boolean {
  return thrown instanceof HookporterError && (thrown.cause as Error | undefined)?.name === "TimeoutError";
}

function overdue(target: URL, timeout: number, connected: boolean, cause: unknown): HookporterError {
  const why = connected
    ? `connected, but no answer in ${timeout} ms: see what the app waits for, or give it longer`
    : `no connection, so no answer, in ${timeout} ms: check the address, and the firewall between`;
  return new HookporterError("target_unreachable", `${target.origin}: ${why}`, { cause });
}

/** A request that is under way. */
interface Posting {
  readonly headers: Readonly<Record<string, readonly string[]>>;
  readonly body: Uint8Array;
  readonly signal: AbortSignal;
  /** Whether somebody took the connection. */
  readonly progress: { connected: boolean };
}

async function post(target: URL, posting: Posting): Promise<IncomingMessage> {
  const first = begin(target, posting);
  try {
    return await first.answered;
  } catch (thrown) {
    // A connection that was kept open may have been closed by the target just before it was used again.
    const stale = first.sending.reusedSocket && (thrown as NodeJS.ErrnoException).code === "ECONNRESET";
    if (!stale || posting.signal.aborted) throw thrown;
    return begin(target, posting).answered;
  }
}

function begin(target: URL, { headers, body, signal, progress }: Posting) {
  const secure = target.protocol === "https:";
  const sending: ClientRequest = (secure ? httpsRequest : httpRequest)(target, {
    ...{ method: "POST", agent: AGENTS[secure ? "https:" : "http:"], signal },
    headers: { ...headers, "content-length": body.byteLength },
  });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    sending.on("response", resolve).on("error", reject);
  });
  sending.on("socket", (socket) => {
    progress.connected = !socket.connecting;
    if (!socket.connecting) return; // it was kept open
    socket.once("connect", () => {
      progress.connected = true;
    });
  });
  sending.end(body);
  return { sending, answered };
}

/** The headers that go out for these: those of one connection are left out, each value is a list. */
export function sentHeaders(headers: DeliveryHeaders): Readonly<Record<string, readonly string[]>> {
  const kept = Object.entries(headers).filter(([name]) => !NOT_PASSED_ON.has(name.toLowerCase()));
  return Object.fromEntries(
    kept.flatMap(([name, value]) => (value === undefined ? [] : [[name, [value].flat()]])),
  );
}

async function readStart(
  response: IncomingMessage,
  limit: number,
): Promise<{ readonly bytes: Uint8Array; readonly cut: boolean }> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response) {
    chunks.push(chunk);
    length += chunk.byteLength;
    if (length > limit) break;
  }
  return { bytes: Buffer.concat(chunks).subarray(0, limit), cut: length > limit };
}
