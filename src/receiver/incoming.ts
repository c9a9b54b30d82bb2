import type { DeliveryHeaders } from "../event/delivery.ts";
import type { Answer } from "../http/answer.ts";
import type { BodyLimits, BodyResult } from "../http/read-body.ts";
import type { Accepted } from "./outcome.ts";

/** A request's head, and a way to its body: what an adapter gives. */
export interface Incoming {
  readonly method: string;
  /** The raw request target, its query included. */
  readonly target: string;
  /** The endpoint's path. Targets are compared with it exactly up to their first `?`, but for one closing slash. */
  readonly path: string;
  readonly headers: DeliveryHeaders;
  /** Reads the raw bytes; may throw a `ConfigurationError` when somebody else has read them already. */
  readonly read: (limits: BodyLimits) => Promise<BodyResult>;
  /** Whether it was left to the rest of an app, which answered 404. Reported if it is signed, and otherwise ignored. */
  readonly passedOn?: boolean | undefined;
}

/** Has an event's handlers run while its sender waits, and answers with what came of it. */
export interface Inline {
  /** Milliseconds for which a new entry is left to `answer`; after them it runs in its turn. */
  readonly holdMs: number;
  /** Makes the answer to an authentic event; `undefined` gives the usual one. Must not throw. */
  readonly answer: (accepted: Accepted) => Promise<Answer | undefined>;
}
