/**
 * Events of handlers come in, one by one. Batches for a broker go out. No handler succeeds before
 * the batch with its event has been taken.
 */

import {
  type Check,
  checkFunction,
  checkOptions,
  MAX_TIMER,
  wholeNumber,
} from "../base/options/check-options.ts";
import { givenOptions } from "../base/options/given-options.ts";
import type { Handler } from "../dispatch/plan/handler.ts";
import type { WebhookEvent } from "../event/event.ts";
import { OutgoingBatches } from "./batches.ts";
import type { Send } from "./send.ts";

/** How events are batched. */
export interface HandOnOptions {
  /** Most messages of a batch. Default 100. */
  readonly batchSize?: number | undefined;
  /** Most bytes of the bodies of a batch; a body that is larger goes alone. Default 1 MiB. */
  readonly batchBytes?: number | undefined;
  /** How many milliseconds a message may wait for others before it is sent. Default 5. */
  readonly linger?: number | undefined;
  /** How many batches may be on their way at a time. Default 1. */
  readonly inFlight?: number | undefined;
}

/** The defaults of handOn. */
export const DEFAULTS = { batchSize: 100, batchBytes: 1024 * 1024, linger: 5, inFlight: 1 };

const CHECKS: Readonly<Record<keyof HandOnOptions, Check>> = {
  batchSize: wholeNumber("messages", 1),
  batchBytes: wholeNumber("bytes", 1),
  linger: wholeNumber("milliseconds", 0, MAX_TIMER),
  inFlight: wholeNumber("batches", 1),
};

/**
 * Makes a handler that hands verified events on in batches, such as to a queue or a broker. It
 * succeeds for an event once `send` has taken it; otherwise the event is tried again like that of
 * any other handler, beside new ones, until its attempts run out. So each event is handed on at
 * least once. A batch never has more messages than the receiver's `concurrency`, nor do more wait.
 *
 * Two events of one order key are never in the same batch, nor in two at a time. Others may
 * overtake each other.
 *
 * @throws ConfigurationError `option_invalid`
 *
 * @example
 * ```ts
 * import { createReceiver, handOn } from "hookporter";
 *
 * const receiver = createReceiver({ secret: process.env.HOOKPORTER_SECRET, concurrency: 200 });
 * receiver.on(
 *   "*",
 *   handOn(async (messages, { signal }) => {
 *     const body = JSON.stringify(messages.map(({ id, event }) => ({ id, ...event.envelope })));
 *     const response = await fetch("http://127.0.0.1:8080/events", { method: "POST", body, signal });
 *     if (!response.ok) throw new Error(`expected 2xx, got ${response.status}`);
 *   }),
 * );
 * ```
 */
export function handOn(
  send: Send,
  options: HandOnOptions = {},
): Handler<WebhookEvent<string, unknown>> {
  checkFunction(send, "send", "pass async (messages) => …");
  checkOptions(options, "the options of handOn", CHECKS);
  const batches = new OutgoingBatches(send, { ...DEFAULTS, ...givenOptions(options) });
  return (event, { delivery, orderKey, attempt, seq, signal }) =>
    batches.add({ id: event.id, event, delivery, orderKey, attempt, seq }, signal);
}
