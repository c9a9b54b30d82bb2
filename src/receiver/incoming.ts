import type { DeliveryHeaders } from "../event/delivery.ts";
import type { Answer } from "../http/answer.ts";
import type { BodyLimits, BodyResult } from "../http/read-body.ts";
import type { Accepted } from "./outcome.ts";

/** A request as an adapter passes it on: the head, and a function that reads the body. */
export interface Incoming {
  readonly method: string;
  /** The raw request target, its query included. */
  readonly target: string;
  /**
   * The endpoint's path. Targets are compared with it exactly up to their first `?`, but for one
   * closing slash.
   */
  readonly path: string;
  readonly headers: DeliveryHeaders;
  /** Reads the raw bytes; may throw a `ConfigurationError` if other code has already read them. */
  readonly read: (limits: BodyLimits) => Promise<BodyResult>;
  /**
   * The address of the connection's other end: the sender, or the last proxy or tunnel before this
   * process.
   */
  readonly remoteAddress?: string | undefined;
  /**
   * Whether it was left to the rest of an app, which answered 404. Reported if it is signed, and
   * otherwise ignored.
   */
  readonly passedOn?: boolean | undefined;
}

/** Runs an event's handlers while its sender waits, and answers with the result. */
export interface Inline {
  /**
   * Milliseconds for which a new entry is reserved for `answer`; after that it runs in its turn.
   */
  readonly hold: number;
  /**
   * Returns the answer to an authentic event, or `undefined` for the default one. Must not throw.
   */
  readonly answer: (accepted: Accepted) => Promise<Answer | undefined>;
}
