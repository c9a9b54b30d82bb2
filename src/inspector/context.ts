import type { IncomingMessage, ServerResponse } from "node:http";
import type { Logger } from "../base/logger.ts";
import { NewestMap } from "../base/newest-map.ts";
import { ThrottledCache } from "../base/throttled-cache.ts";
import { stateCounts } from "../inbox/counts.ts";
import type { FailureGroups } from "../inbox/failures.ts";
import { inboxOf } from "../receiver/inbox-view.ts";
import type { Receiver } from "../receiver/receiver.ts";
import type { SecretValue } from "../signature/secret-bytes.ts";
import { readSecrets } from "../signature/secrets.ts";
import type { RouteResult } from "./answer.ts";
import type { Status } from "./api.ts";
import type { TokenRecords } from "./auth/known-tokens.ts";
import type { NamedHost } from "./auth/named-host.ts";
import type { Outgoing } from "./changes/send-delivery.ts";
import { rowCounter } from "./entries/count-rows.ts";
import { arrivals } from "./live/arrivals.ts";
import { Drifts } from "./live/drifts.ts";
import { LiveFeed } from "./live/live-feed.ts";
import { Refusals } from "./live/refusals.ts";
import { type DiagnoseRefusal, refusedBodies } from "./live/refused-bodies.ts";
import { RunNotes } from "./live/run-notes.ts";
import { Meter } from "./overview/meter.ts";

/** Entries whose sender, and whose last times of being received again, are remembered. */
const MAX_SENDERS = 10_000;
const MAX_SEEN_AGAIN = 1000;

export interface InspectorOptions {
  readonly receiver: Pick<Receiver, "inbox" | "observe" | "onDrift" | "recheck" | "handlersFor">;
  /** The receiver's endpoint, to which replays, triggers and edited bodies are sent. */
  readonly endpoint: URL;
  /** The receiver's secrets; the first one signs what the inspector sends. */
  readonly secrets: readonly SecretValue[];
  readonly signatureHeader: string;
  /** 0 means any free port. Default 4401, or a free one if that is taken. */
  readonly port: number | undefined;
  /** Forwarded addresses under which the page may be open. */
  readonly hosts: readonly NamedHost[];
  /** Where hashes of tokens and the page's name are kept, so that tabs survive a restart. */
  readonly tokenRecords: TokenRecords;
  readonly inboxName: string;
  readonly handlers: string | null;
  readonly targets: readonly URL[];
  readonly diagnose: DiagnoseRefusal;
  /** What handlers print and targets answer. Default: nothing is noted. */
  readonly runNotes?: RunNotes;
  readonly reserveTimestamps: Outgoing["reserveInstants"];
  readonly generatedData: Outgoing["madeUp"];
  readonly log: Logger;
  readonly clock: () => number;
}

export type InspectorContext = ReturnType<typeof makeContext>;

/** Puts together what the routes read and change. */
export function makeContext(options: InspectorOptions, version: string) {
  const { receiver, endpoint, targets, inboxName, handlers, signatureHeader, clock } = options;
  const { generatedData: madeUp, reserveTimestamps: reserveInstants } = options;
  const inbox = inboxOf(receiver);
  const secrets = readSecrets(options.secrets);
  const [current] = secrets;
  if (current === undefined) throw new TypeError("readSecrets returned no secret");
  const startedAt = clock();
  const shown = secrets.map(({ role, fingerprint }) => ({ role, fingerprint }));
  const forwards = targets.map(({ href }) => href);
  const status = async (): Promise<Status> => ({
    version,
    endpoint: endpoint.href,
    inbox: inboxName,
    startedAt,
    signatureHeader,
    secrets: shown,
    handlers,
    forwards,
    counts: stateCounts(await inbox.counts()),
  });
  const refusals = new Refusals(signatureHeader);
  const feed = new LiveFeed(inbox);
  const signing = { secrets, signatureHeader };
  const bodies = refusedBodies(options.diagnose, (id, ...found) => {
    const changed = refusals.correct(id, ...found);
    for (const refusal of changed) feed.noteRefusal(refusal);
    return changed.at(-1)?.id ?? id;
  });
  const outgoing: Outgoing = {
    endpoint,
    targets,
    signatureHeader,
    clock,
    key: current.key,
    madeUp,
    reserveInstants,
    arrivals: arrivals(signatureHeader),
  };
  return {
    inbox,
    receiver,
    status,
    refusals,
    bodies,
    signing,
    feed,
    outgoing,
    countRows: rowCounter(inbox, refusals),
    /** When the same event was received again recently, by entry, newest first. */
    seenAgain: new NewestMap<number, readonly number[]>(MAX_SEEN_AGAIN),
    /** The addresses from which recent deliveries came, by entry. The inbox does not keep them. */
    senders: new NewestMap<number, string>(MAX_SENDERS),
    drifts: new Drifts(),
    runNotes: options.runNotes ?? new RunNotes(clock),
    meter: new Meter(startedAt),
    /** Found in a twentieth of the time at most, since that delays deliveries. */
    failures: new ThrottledCache<FailureGroups>(1 / 20),
  };
}

export interface Call {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly query: URLSearchParams;
  readonly id: string;
}

/** Answers a call; returns `undefined` if it writes to the response itself. */
export type Route = (context: InspectorContext, call: Call) => Promise<RouteResult | undefined>;

export function json(value: unknown): RouteResult {
  return { type: "json", value };
}
