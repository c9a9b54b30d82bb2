import type { DataProblem } from "../event/data-problems.ts";
import type { Delivery } from "../event/delivery.ts";
import type { DataSchemas } from "../event/schemas.ts";
import type { Answer } from "../http/answer.ts";
import type { Inbox, Settlement } from "../inbox/inbox.ts";
import type { Channel } from "./channel.ts";
import type { HandlersModule } from "./define-handlers.ts";
import type { Incoming, Inline } from "./incoming.ts";
import type { Observation } from "./observation.ts";
import type { Outcome } from "./outcome.ts";
import type { HandlerRegistry } from "./router.ts";

/** What an entry came to, when it was run out of its turn. */
export type Ran = Pick<Settlement, "state" | "reason" | "records">;

/** A module of handlers, or a function that registers them. */
export type ReplacingHandlers<Schemas = object, OtherKinds extends string = never> =
  | HandlersModule<DataSchemas, string>
  | ((registry: HandlerRegistry<Schemas, OtherKinds>) => void);

/** Verifies, keeps and routes deliveries. */
export interface Receiver<Schemas = object, OtherKinds extends string = never>
  extends HandlerRegistry<Schemas, OtherKinds> {
  /**
   * Opens the inbox and begins to run what is waiting in it. Until then, and after `close`, deliveries get 503. Once
   * only; if the inbox could not be opened it may be tried again.
   *
   * @throws HookporterError `closed`, `inbox_…`; ConfigurationError `option_invalid` if `clock` fails
   */
  start(): Promise<void>;
  /** Answers 503 from now on, lets running handlers end, gives unfinished entries back, closes the inbox. */
  close(): Promise<void>;
  /** Whether deliveries are taken: started, not closed, and its inbox is not damaged. For readiness checks. */
  readonly ready: boolean;
  /** From a request's head to its answer; never throws. For adapters, and with `inline` for relays. */
  receive(incoming: Incoming, inline?: Inline): Promise<Answer>;
  /** From a whole delivery to what became of it; never throws. For tests and sources that are not HTTP. */
  accept(delivery: Delivery): Promise<Outcome>;
  /**
   * The same for the bytes of a delivery that is not signed, since the channel it came over vouches for it: whoever calls
   * this has opened that channel and authenticated it. Never for what an HTTP request brought. Observers are told.
   */
  acceptFrom(channel: Channel, body: Uint8Array): Promise<Outcome>;
  /**
   * Runs an entry's handlers now, whether or not it is due; never beside a run of it that is under way, which is waited
   * for instead. Gives what came of it; `undefined` where it cannot run now: it has ended, another process runs it, or an
   * earlier entry of its order key has to end first.
   *
   * @throws HookporterError `inbox_…` when the store fails
   */
  runNow(seq: number): Promise<Ran | undefined>;
  /** Tells a listener of every answer and attempt from now on; gives a function that ends it. */
  observe(listener: (observation: Observation) => unknown): () => void;
  /**
   * Checks an entry's `data` again with the current schemas, and returns which fields do not fit: if there are any,
   * redriving it makes it a dead letter again. Empty for an entry that is not an event, or whose delivery was deleted.
   *
   * @throws HookporterError `inbox_…` if the store fails; and whatever a schema throws
   */
  recheck(seq: number): Promise<readonly DataProblem[]>;
  /**
   * Replaces all handlers at once. A module of `defineHandlers` replaces the schemas and other kinds of the one before it,
   * too; with anything else they stay. If it throws, everything stays as it was.
   *
   * @throws ConfigurationError `option_invalid`; and whatever a function that registers handlers throws
   */
  replaceHandlers(handlers: ReplacingHandlers<Schemas, OtherKinds>): void;
  /** The record of events. */
  readonly inbox: Inbox;
}
