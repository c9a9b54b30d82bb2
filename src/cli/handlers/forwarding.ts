import type { RetryPolicy } from "../../dispatch/retry.ts";
import type { Forwarding, ForwardRule } from "./forward-rules.ts";
import type { ForwardRequestOptions } from "./request-options.ts";
import type { GiveUp } from "./values.ts";

export interface ForwardingOptions extends ForwardRequestOptions {
  readonly handlers?: string;
  readonly forwardTo?: readonly ForwardRule[];
  readonly forwardTimeout?: number;
  readonly giveUp?: GiveUp;
  readonly sync?: boolean;
  readonly orderBy?: string;
  readonly deadLetters?: "skip" | "block";
  readonly catchUp?: boolean;
}

/** A target may be down for any time. */
const ENDLESS = { attempts: Number.POSITIVE_INFINITY };
export const FORWARD_RETRY: Partial<RetryPolicy> = { ...ENDLESS, delay: 500, maxDelay: 30_000 };

/** Milliseconds a target has to answer, unless `--forward-timeout` is given; less while a sender waits. */
export const FORWARD_TIMEOUT = 30_000;
export const SYNC_TIMEOUT = 10_000;

/** Milliseconds a handler gets beyond its forward, so that the forward itself reports the time-out. */
const SLACK = 1000;

/** Milliseconds each forward may take. */
export function forwardTimeout({ forwardTimeout: given, sync = false }: ForwardingOptions): number {
  return given ?? (sync ? SYNC_TIMEOUT : FORWARD_TIMEOUT);
}

/** How events are forwarded, and when an event is given up on. */
export function forwardingOf(options: ForwardingOptions): Forwarding {
  const { attempts, time: maxWait, on: giveUpOn } = options.giveUp ?? {};
  return { timeout: forwardTimeout(options), attempts, maxWait, giveUpOn };
}

/**
 * The receiver's options for forwarding: enough time for a forward, and unlimited retries of an entry. Handlers have their
 * own limit (`chooseHandlers`), so that an entry is never given up while a target is still waited for.
 */
export function receiverLimits(options: ForwardingOptions): {
  readonly retry: Partial<RetryPolicy>;
  readonly handlerTimeout?: number;
} {
  if ((options.forwardTo ?? []).length === 0) return { retry: ENDLESS };
  const handlerTimeout = Math.max(FORWARD_TIMEOUT, forwardTimeout(options)) + SLACK;
  return { retry: FORWARD_RETRY, handlerTimeout };
}
