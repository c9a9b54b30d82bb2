import type { RetryPolicy } from "../../dispatch/retry.ts";
import type { ForwardRule } from "./forward-rules.ts";

/** The options that say how events are forwarded. */
export interface ForwardingOptions {
  readonly handlers?: string;
  readonly forwardTo?: readonly ForwardRule[];
  readonly forwardTimeout?: number;
  readonly sync?: boolean;
  readonly orderBy?: string;
  readonly deadLetters?: "skip" | "block";
  readonly catchUp?: boolean;
}

/** A target may be down for as long as it likes. */
const ENDLESS = { attempts: Number.POSITIVE_INFINITY };
const FORWARD_RETRY: Partial<RetryPolicy> = { ...ENDLESS, delay: 500, maxDelay: 30_000 };

/** Milliseconds a target has to answer, unless `--forward-timeout` says otherwise: less where a sender waits. */
export const FORWARD_TIMEOUT = 30_000;
export const SYNC_TIMEOUT = 10_000;

/** Milliseconds a handler is given beyond its forward, so that the forward itself says that its time is over. */
const SLACK = 1000;

/** Milliseconds each forward may take. */
export function forwardTimeout({ forwardTimeout: given, sync = false }: ForwardingOptions): number {
  return given ?? (sync ? SYNC_TIMEOUT : FORWARD_TIMEOUT);
}

/**
 * The receiver's options for it: time enough for a forward, and no end to the retries of an entry. Handlers have an end of
 * their own (`chooseHandlers`), so that what they wait for is never given up for what a target waits for.
 */
export function receiverLimits(options: ForwardingOptions): {
  readonly retry: Partial<RetryPolicy>;
  readonly handlerTimeout?: number;
} {
  if ((options.forwardTo ?? []).length === 0) return { retry: ENDLESS };
  const handlerTimeout = Math.max(FORWARD_TIMEOUT, forwardTimeout(options)) + SLACK;
  return { retry: FORWARD_RETRY, handlerTimeout };
}
