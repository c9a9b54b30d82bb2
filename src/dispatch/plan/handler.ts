import type { Logger } from "../../base/logger.ts";
import type { DataProblem } from "../../event/data-problems.ts";
import type { Delivery } from "../../event/delivery.ts";
import type { WebhookEvent } from "../../event/event.ts";
import type { DataSchemas } from "../../event/schemas.ts";
import type { DeadReason, WaitingReason } from "../../inbox/reasons.ts";
import type { HandlerTransaction } from "../../inbox/transaction-types.ts";
import type { TargetOptions } from "./target.ts";

/** The second argument of a handler, after the event. */
export interface HandlerContext {
  /** The number of this attempt of the entry, from 1. */
  readonly attempt: number;
  /**
   * Aborted when the handler times out or the receiver shuts down: pass it to `fetch` and the like.
   */
  readonly signal: AbortSignal;
  /** A logger that adds the event's id, kind and attempt to each line. */
  readonly log: Logger;
  /**
   * The delivery as it arrived, with its raw bytes: for exact numbers, or to forward it unchanged.
   */
  readonly delivery: Delivery;
  /** The entry's number in the inbox. */
  readonly seq: number;
  /** What `orderBy` returned for the event; `null` if it asked for no order. */
  readonly orderKey: string | null;
  /**
   * Adds a line to the record of this run, even if the run fails: what an API answered, which row
   * was written. All lines together have at most 2 KiB; `events show` prints them. Never note a
   * secret.
   */
  readonly note: (text: string) => void;
}

/** The second argument of a handler with `tx: true`. */
export interface TransactionContext extends HandlerContext {
  /**
   * The transaction that also records that this handler is done: what is written with it is
   * committed together with that, or not at all. It ends when the handler ends; later statements
   * are refused.
   */
  readonly tx: HandlerTransaction;
}

/** A handler with `tx: true`. */
export type TransactionHandler<Event = WebhookEvent> = (
  event: Event,
  context: TransactionContext,
) => unknown;

/**
 * A user's function for a kind. It succeeds when it returns or its promise resolves. It runs at
 * least once per event, so it may run again for the same one. An error that it throws may have a
 * number `retryAfter`: milliseconds to wait instead of the back-off, at most 10 minutes or
 * `maxDelay`, whichever is more.
 */
export type Handler<Event = WebhookEvent> = (event: Event, context: HandlerContext) => unknown;

export type AnyHandler = (event: never, context: never) => unknown;

/** A handler with the name under which the inbox records it. */
export interface NamedHandler {
  /** The same after a restart, so that a handler that succeeded does not run again. */
  readonly name: string;
  readonly handler: Handler<never>;
  /** Its attempts, if fewer than those of the retry policy. */
  readonly attempts?: number;
  /** What it sends to, if it is a target that entries wait for. */
  readonly target?: TargetOptions;
  readonly tx?: boolean;
}

/** An entry that has just become a dead letter. */
export interface DeadLetter {
  readonly seq: number;
  readonly eventId: string;
  readonly kind: string | null;
  /**
   * Why, as a stable code: `attempts_exhausted`, `invalid_data`, `schema_failed`, `inexact_number`,
   * `unreadable`, or a rejection's reason.
   */
  readonly reason: string;
  /**
   * For `invalid_data` and `inexact_number`: which fields do not fit, and how. For `schema_failed`:
   * the error, and its place. Otherwise empty.
   */
  readonly problems: readonly DataProblem[];
  /** The message of the last error, if a handler failed, with those of its causes. */
  readonly error: string | null;
  /** The delivery, with its raw bytes; empty if it could not be read from a damaged inbox. */
  readonly delivery: Delivery;
  /** The event, with `data` as it was sent; `null` if the delivery is not an event. */
  readonly event: WebhookEvent | null;
}

/** A dead letter whose delivery has not been read as an event. */
export type EntryLetter = Omit<DeadLetter, "event">;

/** Its handlers run. */
export interface PlannedRun {
  readonly type: "run";
  readonly handlers: readonly NamedHandler[];
  readonly event: () => WebhookEvent | Promise<WebhookEvent>;
}

/**
 * The event of an entry that runs as soon as it was kept, so that its bytes need not be read again.
 */
export interface ReadyEvent {
  readonly event: WebhookEvent;
  readonly schemas: DataSchemas;
}

/** It cannot be planned now, as its schema fails, and is tried again. */
export interface Unplanned {
  readonly type: "unplanned";
  readonly error: string | null;
  /** What a dead letter says of it, once every attempt failed. */
  readonly problems?: readonly DataProblem[];
}

/** What becomes of an entry. */
export type Plan =
  | PlannedRun
  | Unplanned
  /** It has no handler here, but another process has one: it is given back. */
  | { readonly type: "leave" }
  /** It has no handler here: it waits this many milliseconds for a process that has one. */
  | { readonly type: "wait"; readonly ms: number; readonly reason: WaitingReason }
  /** Another entry has the same event: it ends without a run. */
  | { readonly type: "done_elsewhere" }
  /** It ends without a run: no handler, or invalid data. */
  | {
      readonly type: "end";
      readonly state: "dead" | "received";
      readonly reason: DeadReason | WaitingReason;
      /** For the reason `invalid_data`: what does not fit. */
      readonly problems?: readonly DataProblem[] | undefined;
    };
