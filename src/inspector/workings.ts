import type { IncomingMessage, ServerResponse } from "node:http";
import type { NewestMap } from "../base/newest-map.ts";
import type { Remembered } from "../base/remembered.ts";
import type { FailureGroups } from "../inbox/failures.ts";
import type { Inbox } from "../inbox/inbox.ts";
import type { Receiver } from "../receiver/receiver.ts";
import type { RouteResult } from "./answer.ts";
import type { Status } from "./api.ts";
import type { Outgoing } from "./changes/send-delivery.ts";
import type { rowCounter } from "./entries/count-rows.ts";
import type { Signing } from "./entries/explain-entry.ts";
import type { Drifts } from "./live/drifts.ts";
import type { LiveFeed } from "./live/live-feed.ts";
import type { Refusals } from "./live/refusals.ts";
import type { RefusedBodies } from "./live/refused-bodies.ts";
import type { RunNotes } from "./live/run-notes.ts";
import type { Meter } from "./overview/meter.ts";

export interface Workings {
  readonly inbox: Inbox;
  readonly signing: Signing;
  readonly outgoing: Outgoing;
  readonly refusals: Refusals;
  readonly bodies: RefusedBodies;
  /** When the same event was received again recently, by entry, newest first. */
  readonly seenAgain: NewestMap<number, readonly number[]>;
  /** The addresses from which recent deliveries came, by entry. The inbox does not keep them. */
  readonly senders: NewestMap<number, string>;
  readonly drifts: Drifts;
  readonly countRows: ReturnType<typeof rowCounter>;
  readonly runNotes: RunNotes;
  readonly meter: Meter;
  /** Found in a twentieth of the time at most, since that delays deliveries. */
  readonly failures: Remembered<FailureGroups>;
  readonly feed: LiveFeed;
  readonly status: () => Promise<Status>;
  readonly receiver: Pick<Receiver, "recheck" | "handlersFor">;
}

export interface Call {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly query: URLSearchParams;
  readonly id: string;
}

/** Answers a call; returns `undefined` if it writes to the response itself. */
export type Route = (workings: Workings, call: Call) => Promise<RouteResult | undefined>;

export function json(value: unknown): RouteResult {
  return { type: "json", value };
}
