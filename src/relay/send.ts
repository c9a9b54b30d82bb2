import type { IncomingHttpHeaders } from "node:http";
import { HookporterError } from "../errors.ts";
import type { DeliveryHeaders } from "../event/delivery.ts";
import { type Answered, Exchange, type Posting } from "./exchange.ts";
import { HOP_BY_HOP } from "./hop-by-hop.ts";
import { whyUnreachable } from "./unreachable.ts";

/** A target's answer. */
export interface TargetAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The answer's body as text, cut to `maxAnswer`. */
  readonly body: string;
  /** The same as bytes. */
  readonly bytes: Uint8Array;
  /** Whether the body was cut. */
  readonly cut: boolean;
  readonly durationMs: number;
  /** Whether the status is 2xx. */
  readonly ok: boolean;
}

/** What to send. */
export interface Sending {
  readonly target: URL;
  /** The query to send if the target has none, with its `?`: see `queryOf`. */
  readonly query?: string | undefined;
  readonly headers: DeliveryHeaders;
  readonly body: Uint8Array;
  /** Milliseconds until the target must have answered. Default 30 000. */
  readonly timeout?: number;
  /** How many bytes of the answer's body to read. Default 64 KiB. */
  readonly maxAnswer?: number;
  readonly signal?: AbortSignal;
}

/** Milliseconds a target has to answer by default. */
export const SEND_TIMEOUT = 30_000;

const MAX_ANSWER = 64 * 1024;

/** Headers that belong to one connection, or are set again for each. */
const NOT_PASSED_ON = new Set([...HOP_BY_HOP, "accept-encoding", "content-length", "expect", "host"]);

/**
 * Posts bytes unchanged to a fixed target; does not follow redirects.
 *
 * @throws HookporterError `target_unreachable`, with cause and fix; the signal's reason if it is aborted
 */
export async function send({
  target,
  query = "",
  headers,
  body,
  timeout = SEND_TIMEOUT,
  maxAnswer = MAX_ANSWER,
  signal,
}: Sending): Promise<TargetAnswer> {
  signal?.throwIfAborted();
  const start = performance.now();
  const posting = { target, query, headers: sentHeaders(headers), body, maxAnswer };
  const sending = new Persistent(posting);
  const timer = setTimeout(() => sending.stop(overdue(target, timeout, sending.connected)), timeout);
  const onAbort = () => sending.stop(signal?.reason);
  signal?.addEventListener("abort", onAbort);
  try {
    const { status, headers, bytes, cut } = await sending.answer();
    const durationMs = Math.round((performance.now() - start) * 10) / 10;
    const ok = status >= 200 && status < 300;
    return { status, headers, body: bytes.toString("utf8"), bytes, cut, durationMs, ok };
  } catch (thrown) {
    if (sending.stopped !== undefined) throw sending.stopped.reason;
    const why = await whyUnreachable(thrown, target);
    throw new HookporterError("target_unreachable", `${target.origin}: ${why}`, { cause: thrown });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  }
}

/** Whether an error of {@link send} says that there was no connection at all, so that no receiver saw the bytes. */
export function isUnconnected(thrown: unknown): boolean {
  if (!(thrown instanceof HookporterError)) return false;
  const { cause } = thrown;
  const first: unknown = cause instanceof AggregateError ? cause.errors[0] : cause;
  return UNCONNECTED.has(String((first as NodeJS.ErrnoException | undefined)?.code ?? ""));
}

const UNCONNECTED = new Set([
  ...["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "EADDRNOTAVAIL", "ETIMEDOUT"],
]);

/** Whether an error of {@link send} is a time-out rather than an unreachable target. */
export function isOverdue(thrown: unknown): boolean {
  return thrown instanceof HookporterError && (thrown.cause as Error | undefined)?.name === "TimeoutError";
}

function overdue(target: URL, timeout: number, connected: boolean): HookporterError {
  const why = connected
    ? `connected, but no answer within ${timeout} ms: find out what the app waits for, or raise the time-out`
    : `no connection within ${timeout} ms: check the address and firewalls`;
  const cause = new DOMException("no answer in time", "TimeoutError");
  return new HookporterError("target_unreachable", `${target.origin}: ${why}`, { cause });
}

/** A posting that is repeated once if the kept-alive connection turns out to be closed. */
class Persistent {
  readonly #posting: Posting;
  #exchange: Exchange | undefined;
  #stopped: { readonly reason: unknown } | undefined;

  constructor(posting: Posting) {
    this.#posting = posting;
  }

  get connected(): boolean {
    return this.#exchange?.connected === true;
  }

  /** Why it was stopped, if it was. */
  get stopped(): { readonly reason: unknown } | undefined {
    return this.#stopped;
  }

  async answer(): Promise<Answered> {
    const first = new Exchange(this.#posting);
    this.#exchange = first;
    try {
      return await first.answered;
    } catch (thrown) {
      if (this.#stopped !== undefined || !first.failedStale(thrown)) throw thrown;
      this.#exchange = new Exchange(this.#posting);
      return this.#exchange.answered;
    }
  }

  stop(reason: unknown): void {
    this.#stopped ??= { reason };
    this.#exchange?.stop();
  }
}

/** The headers to send: without those of one connection, each value as a list. */
export function sentHeaders(headers: DeliveryHeaders): Readonly<Record<string, readonly string[]>> {
  const sent: Record<string, readonly string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || NOT_PASSED_ON.has(name.toLowerCase())) continue;
    sent[name] = typeof value === "string" ? [value] : value;
  }
  return sent;
}
