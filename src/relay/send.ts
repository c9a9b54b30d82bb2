/**
 * Deliveries and fixtures come in. Requests to a target go out, and what became of each. A body is
 * never printed again.
 */

import { HookporterError } from "../base/errors.ts";
import { errorsOf } from "../base/guards.ts";
import type { SeveralPrograms } from "../http/connect-options.ts";
import { Exchange, type ExchangeAnswer, type Posting } from "./exchange.ts";
import { whyUnreachable } from "./unreachable.ts";

export interface TargetAnswer extends ExchangeAnswer {
  /** The answer's body as text, or its beginning. */
  readonly body: string;
  /** Milliseconds. */
  readonly duration: number;
  /** Whether the status is 2xx. */
  readonly ok: boolean;
}

export interface Sending extends Omit<Posting, "method"> {
  /** Milliseconds until the target must have answered. Default 30 000. */
  readonly timeout?: number;
  readonly signal?: AbortSignal;
}

/** Milliseconds a target has to answer by default. */
export const SEND_TIMEOUT = 30_000;

/**
 * Posts bytes unchanged to a fixed target; does not follow redirects. Once there is a status, that
 * is the answer: a body that is cut off or never ends does not change what the app did. Throws
 * `target_unreachable`, with cause and fix; the signal's reason if it is aborted.
 */
export async function send({
  timeout = SEND_TIMEOUT,
  signal,
  ...posting
}: Sending): Promise<TargetAnswer> {
  signal?.throwIfAborted();
  const start = performance.now();
  const { target } = posting;
  const exchange = new Exchange(posting);
  let stopped: { readonly reason: unknown } | undefined;
  const stop = (reason: unknown) => {
    stopped ??= { reason };
    exchange.stop();
  };
  const timer = setTimeout(() => stop(overdue(target, timeout, exchange.connected)), timeout);
  const onAbort = () => stop(signal?.reason);
  signal?.addEventListener("abort", onAbort);
  try {
    const answer = await exchange.answered;
    if (answer.cut === "overdue") signal?.throwIfAborted();
    const duration = Math.round((performance.now() - start) * 10) / 10;
    const ok = answer.status >= 200 && answer.status < 300;
    return { ...answer, body: answer.bytes.toString("utf8"), duration, ok };
  } catch (thrown) {
    if (stopped !== undefined) throw stopped.reason;
    const { why, isThere } = await whyUnreachable(thrown, target);
    const message = `${target.origin}: ${why}`;
    const options = { cause: thrown };
    throw isThere
      ? new UnusableTarget("target_unreachable", message, options)
      : new HookporterError("target_unreachable", message, options);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  }
}

/** An error of {@link send}: a server is there, which cannot be sent anything in this way. */
export class UnusableTarget extends HookporterError {
  override readonly name = "UnusableTarget";
}

/**
 * Whether an error of {@link send} says that there was no connection at all, so that no receiver
 * saw the bytes.
 */
export function isUnconnected(thrown: unknown): boolean {
  if (!(thrown instanceof HookporterError)) return false;
  const [first] = errorsOf(thrown.cause);
  return UNCONNECTED.has(String((first as NodeJS.ErrnoException | undefined)?.code ?? ""));
}

const UNCONNECTED = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EADDRNOTAVAIL",
  "ETIMEDOUT",
  "ESEVERAL" satisfies SeveralPrograms["code"],
]);

/** Whether an error of {@link send} is a time-out rather than an unreachable target. */
export function isOverdue(thrown: unknown): boolean {
  return (
    thrown instanceof HookporterError &&
    (thrown.cause as Error | undefined)?.name === "TimeoutError"
  );
}

function overdue(target: URL, timeout: number, connected: boolean): HookporterError {
  const why = connected
    ? `connected, but no answer within ${timeout} ms: find out what the app waits for, or raise the time-out`
    : `no connection within ${timeout} ms: check the address and firewalls`;
  const cause = new DOMException("no answer in time", "TimeoutError");
  return new HookporterError("target_unreachable", `${target.origin}: ${why}`, { cause });
}
