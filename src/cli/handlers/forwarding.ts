import type { RetryPolicy } from "../../base/options/retry.ts";
import { counted } from "../../base/text/counted.ts";
import type { WebhookEvent } from "../../event/event.ts";
import { memberAt } from "../../event/field-path.ts";
import type { CliContext } from "../context.ts";
import type { Output } from "../output.ts";
import type { Forwarding, ForwardRule } from "./forward-rules.ts";
import type { ForwardRequestOptions } from "./request-options.ts";
import type { FieldValue, GiveUp } from "./values.ts";

export interface ForwardingOptions extends ForwardRequestOptions {
  readonly handlers?: string;
  readonly forwardTo?: readonly ForwardRule[];
  readonly forwardTimeout?: number;
  readonly giveUp?: GiveUp;
  readonly forwardWhere?: FieldValue;
  readonly maxForwards?: number;
  readonly sync?: boolean;
  readonly orderBy?: string;
  readonly deadLetters?: "skip" | "block";
  readonly catchUp?: boolean;
}

/** A target may be down for any time. */
const ENDLESS = { attempts: Number.POSITIVE_INFINITY };
export const FORWARD_RETRY: Partial<RetryPolicy> = { ...ENDLESS, delay: 500, maxDelay: 30_000 };

/**
 * Milliseconds a target has to answer, unless `--forward-timeout` is given; less while a sender
 * waits.
 */
export const FORWARD_TIMEOUT = 30_000;
export const SYNC_TIMEOUT = 10_000;

/**
 * Milliseconds a handler gets beyond its forward, so that the forward itself reports the time-out.
 */
const SLACK = 1000;

/** Milliseconds each forward may take. */
export function forwardTimeout({ forwardTimeout: given, sync = false }: ForwardingOptions): number {
  return given ?? (sync ? SYNC_TIMEOUT : FORWARD_TIMEOUT);
}

/** Which events are forwarded, how, and when an event is given up on. */
export function forwardingOf(
  options: ForwardingOptions,
  { output }: Pick<CliContext, "output">,
): Forwarding {
  const { attempts, time: maxWait, on: giveUpOn } = options.giveUp ?? {};
  return {
    timeout: forwardTimeout(options),
    attempts,
    maxWait,
    giveUpOn,
    takes: forwardFilter(options, output),
  };
}

/** Which events `forwardWhere` and `maxForwards` let through; `undefined` without them. */
function forwardFilter(
  { forwardWhere: where, maxForwards: most = Number.POSITIVE_INFINITY }: ForwardingOptions,
  { talk }: Pick<Output, "talk">,
): Forwarding["takes"] {
  if (where === undefined && most === Number.POSITIVE_INFINITY) return undefined;
  const fieldOf = orderByPath(where?.path ?? "");
  const taken = new Set<string>();
  let isFull = false;
  return (event) => {
    if (where !== undefined && fieldOf(event) !== where.value) return false;
    // an event that was forwarded is retried, and goes to other targets too
    const key = `${event.id} ${event.timestamp}`;
    // without a limit none is remembered
    if (most === Number.POSITIVE_INFINITY || taken.has(key)) return true;
    if (taken.size < most) return taken.add(key).has(key);
    if (!isFull)
      talk(
        `${counted(most, "event was", "events were")} forwarded (maxForwards): later ones are only kept`,
      );
    isFull = true;
    return false;
  };
}

/**
 * The receiver's options for forwarding: enough time for a forward, and unlimited retries of an
 * entry. Handlers have their own limit (`chooseHandlers`), so that an entry is never given up while
 * a target is still waited for.
 */
export function receiverLimits(options: ForwardingOptions) {
  if ((options.forwardTo ?? []).length === 0) return { retry: ENDLESS };
  const handlerTimeout = Math.max(FORWARD_TIMEOUT, forwardTimeout(options)) + SLACK;
  return { retry: FORWARD_RETRY, handlerTimeout };
}

/**
 * The order key at a path in the envelope: a string, number or boolean. An event with any other
 * value at the path has no order.
 */
export function orderByPath(path: string): (event: WebhookEvent) => string | undefined {
  const steps = path.split(".");
  return ({ envelope }) => {
    const found = memberAt(envelope, steps);
    if (!["string", "number", "boolean"].includes(typeof found) || found === "") return undefined;
    return String(found);
  };
}
