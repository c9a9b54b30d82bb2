import type { Delivery } from "../event/delivery.ts";
import type { WebhookEvent } from "../event/event.ts";

/** A verified event, with the delivery that brought it, to hand on. */
export interface HandOnMessage {
  /**
   * The event id, the same each time this event is handed on: use it for the broker's own
   * deduplication.
   */
  readonly id: string;
  /** Its `data` has any type: the handler may be for several kinds. */
  readonly event: WebhookEvent<string, unknown>;
  /** The delivery as it arrived: the raw bytes, and all headers with the signature. */
  readonly delivery: Delivery;
  /** What `orderBy` returned for the event; `null` if it asked for no order. */
  readonly orderKey: string | null;
  /**
   * The number of this attempt, from 1. From the second on, the broker may have the message
   * already.
   */
  readonly attempt: number;
  /** The entry's number in the inbox. */
  readonly seq: number;
}

/** A message that was not handed on. */
export interface HandOnFailure {
  /** The message's `id`. */
  readonly id: string;
  /**
   * Why, for the record of the attempt. As any error of a handler, it may have a number
   * `retryAfter`.
   */
  readonly error: unknown;
}

// biome-ignore lint/suspicious/noConfusingVoidType: a function that returns nothing must fit
type SendResult = void | readonly HandOnFailure[];

/**
 * Hands a batch on. `signal` aborts as soon as a message of the batch has run out of time, or the
 * receiver shuts down. If it returns nothing or an empty list, all of the batch was handed on; a
 * list of `{ id, error }` names the messages that were not. If it throws, none of them was.
 */
export type Send = (
  messages: readonly HandOnMessage[],
  context: { readonly signal: AbortSignal },
) => SendResult | Promise<SendResult>;
