import type { ReceiverErrorCode } from "../base/errors.ts";
import type { DrainReport } from "../dispatch/drain.ts";
import type { DataProblem } from "../event/data-problems.ts";
import type { Delivery } from "../event/delivery.ts";
import type { DataSchemas } from "../event/schemas.ts";
import type { Answer } from "../http/answer.ts";
import type { SettledState, Settlement } from "../inbox/settlement.ts";
import type { Channel } from "./channel.ts";
import type { Drift } from "./drift.ts";
import type { HandlersModule } from "./handlers/define-handlers.ts";
import type { HandlerRegistry } from "./handlers/router.ts";
import type { InboxView } from "./inbox-view.ts";
import type { Incoming, Inline } from "./incoming.ts";
import type { Observation } from "./observation.ts";
import type { DrainOptions } from "./options/drain-options.ts";
import type { Outcome } from "./outcome.ts";

/** The result of running an entry out of turn. */
export type Ran = Pick<Settlement, "reason" | "records"> & { readonly state: SettledState };

/** A module of handlers, or a function that registers them. */
export type ReplacingHandlers<Schemas = object, OtherKinds extends string = never> =
  | HandlersModule<DataSchemas, string>
  | ((registry: HandlerRegistry<Schemas, OtherKinds>) => void);

/** Verifies, keeps and routes deliveries. */
export interface Receiver<Schemas = object, OtherKinds extends string = never>
  extends HandlerRegistry<Schemas, OtherKinds> {
  /**
   * Opens the inbox and starts to run waiting entries. Before that, and after `close`, deliveries
   * are answered 503. Call it once; if the inbox could not be opened, it can be called again.
   *
   * @throws HookporterError `closed`, `inbox_…`; ConfigurationError `option_invalid` if `clock`
   * fails
   */
  start(): Promise<void>;
  /**
   * Answers 503 from now on, waits for running handlers, releases unfinished entries, and closes
   * the inbox.
   */
  close(): Promise<void>;
  /**
   * Whether deliveries are accepted: nothing is {@link refusing} them. It looks at nothing: see
   * {@link checkReady}.
   */
  readonly ready: boolean;
  /**
   * Why deliveries are answered 503 now, as a code: `closed` before the start and after the end,
   * and the code of the last commit's failure, such as `disk_full`, until one succeeds; one is
   * tried every 5 seconds. `undefined` if they are accepted.
   */
  readonly refusing: ReceiverErrorCode | undefined;
  /**
   * Reads the inbox, and resolves to why deliveries are or would be answered 503, as a code: as
   * {@link refusing}, or why the inbox cannot be read, such as `inbox_unreachable`. Resolves to
   * `undefined` if nothing is wrong. Never rejects.
   */
  checkReady(): Promise<ReceiverErrorCode | undefined>;
  /**
   * Receives a request and returns the answer; never throws. For adapters, and with `inline` for
   * relays.
   */
  receive(incoming: Incoming, inline?: Inline): Promise<Answer>;
  /**
   * Accepts a whole delivery and returns the outcome; never throws. For tests and sources other
   * than HTTP.
   */
  accept(delivery: Delivery): Promise<Outcome>;
  /**
   * Accepts an unsigned delivery from a channel that proves its origin: only for bytes from a
   * connection that the caller opened and authenticated, never for the body of an HTTP request.
   * Observers are notified.
   */
  acceptFrom(channel: Channel, body: Uint8Array): Promise<Outcome>;
  /**
   * Runs an entry's handlers now, even if it is not due, and returns the result. If they are
   * already running, waits for that run instead. Returns `undefined` if the entry cannot run now:
   * it has ended, another process runs it, or an earlier entry of its order key must end first.
   *
   * @throws HookporterError `inbox_…` when the store fails
   */
  runNow(seq: number): Promise<Ran | undefined>;
  /**
   * Claims and runs what is due, for programs that are not kept running: functions, cron jobs,
   * `waitUntil`. Resolves once nothing more is due, or no time is left to start a handler, with
   * what it did and when the next entry is due. It leaves no timers behind, and waits for no entry
   * to become due. Started or not: otherwise it opens the inbox and closes it at its end. It may be
   * called while another drain, or the receiver's own loop, is running.
   *
   * @throws ConfigurationError `option_invalid`; HookporterError `closed`, `inbox_…`
   */
  drain(options: DrainOptions): Promise<DrainReport>;
  /**
   * Calls the listener when events begin to differ from those before, once per difference; needs
   * the option `drift`. Returns an unsubscribe function.
   */
  onDrift(listener: (drift: Drift) => unknown): () => void;
  /** Calls the listener for every answer and attempt; returns an unsubscribe function. */
  observe(listener: (observation: Observation) => unknown): () => void;
  /**
   * Checks an entry's `data` again with the current schemas, and returns which fields do not fit:
   * if there are any, retrying it makes it a dead letter again. Empty for an entry that is not an
   * event, or whose delivery was deleted.
   *
   * @throws HookporterError `inbox_…` if the store fails
   */
  recheck(seq: number): Promise<readonly DataProblem[]>;
  /**
   * The names of the handlers that this receiver has for a kind, in the order in which they run.
   */
  handlersFor(kind: string): readonly string[];
  /**
   * Replaces all handlers at once. A module of `defineHandlers` replaces the schemas and other
   * kinds of the one before it, too; with anything else they stay. If it throws, everything stays
   * as it was.
   *
   * @throws ConfigurationError `option_invalid`; and whatever a function that registers handlers
   * throws
   */
  replaceHandlers(handlers: ReplacingHandlers<Schemas, OtherKinds>): void;
  /** The record of events: what was received, and what became of it. */
  readonly inbox: InboxView;
}
