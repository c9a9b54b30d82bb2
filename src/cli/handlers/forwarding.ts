import type { RetryPolicy } from "../../dispatch/retry.ts";
import { HookporterError } from "../../errors.ts";
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
const FORWARD_TIMEOUT = 30_000;
const SYNC_TIMEOUT = 10_000;

/** Milliseconds a handler is given beyond its forward, so that the forward itself says that its time is over. */
const SLACK = 1000;

/**
 * Refuses options that do not fit each other.
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
      "expected --forward-to or --handlers beside --catch-up, got neither: nothing would take the entries",
    );
  if (deadLetters !== undefined && orderBy === undefined)
    refuse("expected --order-by beside --dead-letters, got none: without an order nothing is held back");
  if (!sync) return;
  if (handlers !== undefined)
    refuse("expected --sync or --handlers, got both: the sender gets the answer of one target");
  const [only, ...others] = forwardTo;
  if (only === undefined || only.pattern !== null || others.length > 0)
    refuse("expected exactly one --forward-to without a pattern beside --sync: the sender gets its answer");
}

/**
 * Refuses a target that is this very endpoint: it would take each event for a duplicate, and all would look well.
 *
 * @throws HookporterError `usage`
 */
export function checkTargets({ forwardTo = [] }: ForwardingOptions, port: number): void {
  const own = ["127.0.0.1", "localhost"].map((host) => new URL(`http://${host}:${port}`).origin);
  const loop = forwardTo.find(({ target }) => own.includes(target.origin));
  if (loop === undefined) return;
  throw new HookporterError(
    "usage",
    `expected --forward-to the address of your app, got ${loop.target.origin}, where listen itself is: correct it, or --port`,
  );
}

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
