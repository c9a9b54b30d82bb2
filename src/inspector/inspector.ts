import { join } from "node:path";
import type { Logger } from "../base/logger.ts";
import { NewestMap } from "../base/newest-map.ts";
import { Remembered } from "../base/remembered.ts";
import { countsByState } from "../inbox/counts.ts";
import { findPackageRoot } from "../package/package-root.ts";
import type { DeliveryObservation } from "../receiver/observation.ts";
import type { Receiver } from "../receiver/receiver.ts";
import type { SecretValue } from "../signature/secret-bytes.ts";
import { readSecrets } from "../signature/secrets.ts";
import type { Status } from "./api.ts";
import type { Outgoing } from "./changes/send-delivery.ts";
import { KnownTokens, type TokenRecords } from "./door/known-tokens.ts";
import type { NamedHost } from "./door/named-host.ts";
import { rowCounter } from "./entries/count-rows.ts";
import { Arrivals } from "./live/arrivals.ts";
import { Drifts } from "./live/drifts.ts";
import { LiveFeed } from "./live/live-feed.ts";
import { Refusals } from "./live/refusals.ts";
import { type DiagnoseRefusal, RefusedBodies } from "./live/refused-bodies.ts";
import { RunNotes } from "./live/run-notes.ts";
import { Meter } from "./overview/meter.ts";
import { readPage } from "./page-files.ts";
import { startInspectorServer } from "./server.ts";
import type { Workings } from "./workings.ts";

/** Entries whose sender, and whose last times of being received again, are remembered; and how many of those. */
const MAX_SENDERS = 10_000;
const MAX_SEEN_AGAIN = 1000;
const MAX_TIMES = 20;

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
  /** Where hashes of tokens are kept, so that tabs survive a restart. */
  readonly tokenRecords: TokenRecords;
  readonly inboxName: string;
  readonly handlers: string | null;
  readonly targets: readonly URL[];
  readonly diagnose: DiagnoseRefusal;
  /** What handlers print and targets answer. Default: nothing is noted. */
  readonly runNotes?: RunNotes;
  readonly reserveInstants: Outgoing["reserveInstants"];
  readonly madeUp: Outgoing["madeUp"];
  readonly log: Logger;
  readonly clock: () => number;
}

/** Starts the inspector, a page and an API on a loopback port of their own. @throws HookporterError `port_unavailable` */
export async function startInspector(options: InspectorOptions) {
  const { receiver } = options;
  const root = await findPackageRoot();
  const tokens = new KnownTokens(options.tokenRecords, options.clock);
  const workings = makeWorkings(options, root.version);
  const { refusals, bodies, seenAgain, senders, drifts, meter, feed, outgoing } = workings;
  const page = readPage(join(root.path, "dist", "inspector"));
  const server = await startInspectorServer(workings, { ...options, tokens, page });
  const remember = (observation: DeliveryObservation) => {
    const diagnosis = options.diagnose(observation);
    const refusal = refusals.note(observation, diagnosis);
    if (refusal !== undefined) {
      bodies.hold(refusal.id, observation, diagnosis === "left_out");
      feed.noteRefusal(refusal);
    }
    outgoing.arrivals.note(observation, refusal?.id);
  };
  const stop = receiver.observe((observation) => {
    meter.count(observation);
    feed.note(observation);
    if (observation.type === "attempt") return;
    const { outcome, receivedAt } = observation;
    if ("seq" in outcome) {
      const { seq, duplicate } = outcome;
      const address = observation.remoteAddress?.replace(/^::ffff:(?=\d+\.)/, "");
      if (duplicate) seenAgain.set(seq, [receivedAt, ...(seenAgain.get(seq) ?? [])].slice(0, MAX_TIMES));
      else if (address !== undefined) senders.set(seq, address);
    }
    // Digests are computed after the sender has its answer, so that the answer's timing reveals nothing.
    if (observation.diagnose === undefined) remember(observation);
    else setImmediate(remember, observation);
  });
  const stopDrifts = receiver.onDrift((drift) => {
    drifts.note(drift, options.clock());
    feed.noteDrift();
  });
  return {
    /** The page's address, with the token of this run in its fragment, which browsers never send. */
    url: new URL(`http://127.0.0.1:${server.port}/#token=${tokens.text}`),
    close: async () => {
      stop();
      stopDrifts();
      bodies.close();
      await feed.close();
      await server.close();
    },
  };
}

function makeWorkings(options: InspectorOptions, version: string): Workings {
  const { receiver, endpoint, targets, inboxName, handlers, signatureHeader, clock } = options;
  const { madeUp, reserveInstants } = options;
  const { inbox } = receiver;
  const secrets = readSecrets(options.secrets);
  const [current] = secrets;
  if (current === undefined) throw new TypeError("readSecrets returned no secret");
  const startedAt = clock();
  const shown = secrets.map(({ role, fingerprint }) => ({ role, fingerprint }));
  const forwards = targets.map(({ href }) => href);
  const status = async (): Promise<Status> => ({
    ...{ version, endpoint: endpoint.href, inbox: inboxName, startedAt, signatureHeader },
    ...{ secrets: shown, handlers, forwards, counts: countsByState(await inbox.counts()) },
  });
  const refusals = new Refusals(signatureHeader);
  const feed = new LiveFeed(inbox);
  const signing = { secrets, signatureHeader };
  const bodies = new RefusedBodies(signing, options.diagnose, (id, ...found) => {
    const changed = refusals.correct(id, ...found);
    for (const one of changed) feed.noteRefusal(one);
    return changed.at(-1)?.id ?? id;
  });
  return {
    ...{ inbox, receiver, status, refusals, bodies, countRows: rowCounter(inbox, refusals), signing, feed },
    outgoing: {
      ...{ endpoint, targets, signatureHeader, clock, key: current.key, madeUp, reserveInstants },
      arrivals: new Arrivals(signatureHeader),
    },
    seenAgain: new NewestMap(MAX_SEEN_AGAIN),
    senders: new NewestMap(MAX_SENDERS),
    drifts: new Drifts(),
    runNotes: options.runNotes ?? new RunNotes(clock),
    meter: new Meter(startedAt),
    failures: new Remembered(1 / 20),
  };
}
