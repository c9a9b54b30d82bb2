import type { RetryPolicy } from "../dispatch/retry.ts";
import { HookporterError } from "../errors.ts";
import type { ForwardRule } from "./forward-rules.ts";

/** The options for forwarding. */
export interface ForwardingOptions {
  readonly handlers?: string;
  readonly forwardTo?: readonly ForwardRule[];
  readonly forwardTimeout?: number;
  readonly sync?: boolean;
  readonly orderBy?: string;
  readonly deadLetters?: "skip" | "block";
  readonly catchUp?: boolean;
}

/** A target may be down for any time. */
const ENDLESS = { attempts: Number.POSITIVE_INFINITY };
const FORWARD_RETRY: Partial<RetryPolicy> = { ...ENDLESS, delay: 500, maxDelay: 30_000 };

/** Milliseconds a target has to answer, unless `--forward-timeout` is given; less while a sender waits. */
const FORWARD_TIMEOUT = 30_000;
const SYNC_TIMEOUT = 10_000;

/** Milliseconds a handler gets beyond its forward, so that the forward itself reports the time-out. */
const SLACK = 1000;

/**
 * Refuses options that cannot be combined.
 *
 * @throws HookporterError `usage`
 */
export function checkForwarding(options: ForwardingOptions): void {
  const { handlers, forwardTo = [], sync = false, orderBy, deadLetters, catchUp = false } = options;
  const refuse = (message: string) => {
    throw new HookporterError("usage", message);
  };
  if (catchUp && handlers === undefined && forwardTo.length === 0)
    refuse(
      "expected --forward-to or --handlers with --catch-up, got neither: nothing would process the entries",
    );
  if (deadLetters !== undefined && orderBy === undefined)
    refuse("expected --order-by with --dead-letters, got none: without an order nothing is held back");
  if (!sync) return;
  if (handlers !== undefined)
    refuse("expected --sync or --handlers, got both: the sender gets the response of one target");
  const [only, ...others] = forwardTo;
  if (only === undefined || only.pattern !== null || others.length > 0)
    refuse("expected exactly one --forward-to without a pattern with --sync: the sender gets its response");
}

/**
 * Refuses this endpoint itself as a target: it would treat each event as a duplicate, and everything would seem fine.
 *
 * @throws HookporterError `usage`
 */
export function checkTargets({ forwardTo = [] }: ForwardingOptions, port: number): void {
  const own = ["127.0.0.1", "localhost"].map((host) => new URL(`http://${host}:${port}`).origin);
  const loop = forwardTo.find(({ target }) => own.includes(target.origin));
  if (loop === undefined) return;
  throw new HookporterError(
    "usage",
    `expected --forward-to to be the address of your app, got ${loop.target.origin}, the address of listen itself: change it, or --port`,
  );
}

/** Milliseconds each forward may take. */
export function forwardTimeout({ forwardTimeout: given, sync = false }: ForwardingOptions): number {
  return given ?? (sync ? SYNC_TIMEOUT : FORWARD_TIMEOUT);
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
