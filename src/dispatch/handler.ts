import type { Delivery } from "../event/delivery.ts";
import type { WebhookEvent } from "../event/event.ts";
import type { Logger } from "../logger.ts";

/** What a handler gets beside the event. */
export interface HandlerContext {
  /** Which attempt of this entry it is, from 1. */
  readonly attempt: number;
  /** Aborted when the handler's time is over or the receiver shuts down: pass it on to `fetch` and friends. */
  readonly signal: AbortSignal;
  /** A logger that names the event with each line. */
  readonly log: Logger;
  /** The delivery as it arrived, raw bytes included: for exact numbers, or to pass it on unchanged. */
  readonly delivery: Delivery;
  /** The entry's number in the inbox. */
  readonly seq: number;
  /**
   * Keeps a text with the record of this run, however it ends: what an API answered, which row was written. Several are
   * kept as lines, 2 KiB of them in all; `events show` prints them. Never a secret.
   */
  readonly note: (text: string) => void;
}

/**
 * A user's function for a kind. It ended well when it returns, or its promise resolves; run it at least once in mind. An
 * error it throws may have `retryAfterMs`, a number of milliseconds to wait in place of the back-off, up to 10 minutes, or `maxDelay`
 * where that is more.
 */
export type Handler<Event = WebhookEvent> = (event: Event, context: HandlerContext) => unknown;

/** A handler with the name its record in the inbox goes by. */
export interface NamedHandler {
  /** Stays the same over restarts, so that a finished handler is not run again. */
  readonly name: string;
  readonly handler: Handler<never>;
  /** Attempts it gets, where it gets fewer than the policy gives. */
  readonly attempts?: number;
}

/** An entry that has just become a dead letter. */
export interface DeadLetter {
  readonly seq: number;
  readonly eventId: string;
  readonly kind: string | null;
  /** Why, as a stable code: `attempts_exhausted`, `invalid_data`, `unreadable`, or a rejection's reason. */
  readonly reason: string;
  /** The last error's text, where a handler failed. */
  readonly error: string | null;
}

/** What a claimed entry turned out to be. */
export type Plan =
  | { readonly run: readonly NamedHandler[]; readonly event: () => WebhookEvent | Promise<WebhookEvent> }
  /** It failed before and has no handler here: it waits so many milliseconds for a process that has one. */
  | { readonly wait: number; readonly reason: string }
  /** It is over without running: no handler, data that does not fit, or another entry has its event. */
  | { readonly end: "done" | "dead" | "unhandled"; readonly reason: string };
