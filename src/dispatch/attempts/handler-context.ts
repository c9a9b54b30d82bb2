import { type Logger, withFields } from "../../base/logger.ts";
import { type Delivery, ownDelivery } from "../../event/delivery.ts";
import type { ClaimedEntry } from "../../inbox/claim.ts";
import type { HandlerContext } from "../plan/handler.ts";

/**
 * The abort signal of one run, made on first use: signals are expensive to create, and most
 * handlers never use theirs.
 */
export class OwnSignal {
  #aborter: AbortController | undefined;
  #aborted = false;
  reason: unknown;

  get signal(): AbortSignal {
    if (this.#aborter === undefined) {
      this.#aborter = new AbortController();
      if (this.#aborted) this.#aborter.abort(this.reason);
    }
    return this.#aborter.signal;
  }

  /** Aborts the signal, made or not; the first reason counts. */
  abort(reason: unknown): void {
    if (this.#aborted) return;
    this.#aborted = true;
    this.reason = reason;
    this.#aborter?.abort(reason);
  }
}

/** What the lazy fields of a context are made of. */
interface Parts {
  readonly entry: ClaimedEntry;
  readonly base: Logger;
  readonly own: OwnSignal;
  log: Logger | undefined;
  delivery: Delivery | undefined;
}

const PARTS = Symbol("parts");

interface WithParts {
  readonly [PARTS]: Parts;
}

// Own fields that can be spread and replaced, as the others can. Their functions are the same for
// all contexts: with functions of its own, such as those of an object literal, each context would
// have a hidden class of its own.
const SIGNAL: PropertyDescriptor & ThisType<WithParts> = {
  configurable: true,
  enumerable: true,
  get() {
    return this[PARTS].own.signal;
  },
};
const DELIVERY: PropertyDescriptor & ThisType<WithParts> = {
  configurable: true,
  enumerable: true,
  get() {
    const parts = this[PARTS];
    parts.delivery ??= ownDelivery(parts.entry.delivery);
    return parts.delivery;
  },
};
const LOG: PropertyDescriptor & ThisType<WithParts> = {
  configurable: true,
  enumerable: true,
  get() {
    const parts = this[PARTS];
    const { key, kind, attempts: attempt } = parts.entry;
    parts.log ??= withFields(parts.base, { eventId: key.eventId, kind, attempt });
    return parts.log;
  },
  /** For who wraps a handler. */
  set(log: Logger) {
    this[PARTS].log = log;
  },
};

/** The second argument of a handler. What most handlers do not use is made on first use. */
export function handlerContext(
  entry: ClaimedEntry,
  base: Logger,
  own: OwnSignal,
  note: HandlerContext["note"],
): HandlerContext {
  const { seq, orderKey, attempts: attempt } = entry;
  const context = { attempt, seq, orderKey, note };
  const parts: Parts = { entry, base, own, log: undefined, delivery: undefined };
  Object.defineProperty(context, PARTS, { value: parts });
  Object.defineProperty(context, "delivery", DELIVERY);
  Object.defineProperty(context, "signal", SIGNAL);
  Object.defineProperty(context, "log", LOG);
  return context as typeof context & Pick<HandlerContext, "delivery" | "signal" | "log">;
}
