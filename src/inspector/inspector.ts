import { join } from "node:path";
import type { Logger } from "../logger.ts";
import type { DeliveryObservation } from "../receiver/observation.ts";
import type { Receiver } from "../receiver/receiver.ts";
import { findPackageRoot } from "../scaffold/package-root.ts";
import type { Diagnosis } from "../signature/diagnose/diagnose.ts";
import { readSecrets, type SecretValue } from "../signature/secrets.ts";
import type { Status } from "./api.ts";
import { LiveFeed } from "./live-feed.ts";
import { Meter } from "./meter.ts";
import { readPage } from "./page-files.ts";
import { Refusals } from "./refusals.ts";
import { Repeats } from "./repeats.ts";
import type { Workings } from "./routes.ts";
import { startInspectorServer } from "./server.ts";
import { drawToken } from "./token.ts";

/** What an inspector looks at, and what it says of it. */
export interface InspectorOptions {
  readonly receiver: Pick<Receiver, "inbox" | "observe">;
  /** The receiver's own endpoint: where replays, triggers and edited bodies go. */
  readonly endpoint: URL;
  /** The receiver's secrets: the first one signs what is sent from here. */
  readonly secrets: readonly SecretValue[];
  readonly signatureHeader: string;
  /** 0 asks for a free one. Default 4401, or a free one where that is taken. */
  readonly port: number | undefined;
  /** Where the inbox is, in words. */
  readonly inboxName: string;
  readonly handlers: string | null;
  /** Targets the receiver forwards to. */
  readonly targets: readonly URL[];
  /** Why a delivery was not authentic; `left_out` where it is too much to work out now. Default: it is never worked out. */
  readonly diagnose?: DiagnoseRefusal;
  readonly log: Logger;
  readonly clock: () => number;
}

/** See {@link InspectorOptions.diagnose}. */
type DiagnoseRefusal = (observation: DeliveryObservation) => Diagnosis | "left_out" | undefined;

/** An inspector that runs. */
export interface RunningInspector {
  /** The page's address, with the token of this run in its fragment, which no browser sends anywhere. */
  readonly url: URL;
  close(): Promise<void>;
}

/**
 * Starts the inspector: a page and an API on a loopback port of their own, over the inbox and what the receiver tells.
 *
 * @throws HookporterError `port_unavailable`
 */
export async function startInspector(options: InspectorOptions): Promise<RunningInspector> {
  const { receiver, log } = options;
  const root = await findPackageRoot();
  const token = drawToken();
  const workings = makeWorkings(options, root.version);
  const { refusals, repeats, meter, feed } = workings;
  const page = readPage(join(root.path, "dist", "inspector"));
  const server = await startInspectorServer(workings, { port: options.port, token, page, log });
  const remember = (observation: DeliveryObservation) => {
    const refusal = refusals.note(observation, options.diagnose?.(observation));
    if (refusal !== undefined) feed.noteRefusal(refusal);
  };
  const stop = receiver.observe((observation) => {
    meter.count(observation);
    feed.note(observation);
    if (observation.type === "attempt") return;
    const { outcome, receivedAt } = observation;
    if ("duplicate" in outcome && outcome.duplicate) repeats.note(outcome.seq, receivedAt);
    // Digests are computed when the sender has its answer, and show nothing of them by the time it takes.
    if (observation.diagnose === undefined) remember(observation);
    else setImmediate(remember, observation);
  });
  return {
    url: new URL(`http://127.0.0.1:${server.port}/#token=${token.text}`),
    close: async () => {
      stop();
      await feed.close();
      await server.close();
    },
  };
}

function makeWorkings(options: InspectorOptions, version: string): Workings {
  const { endpoint, targets, inboxName, handlers, signatureHeader, clock } = options;
  const { inbox } = options.receiver;
  const secrets = readSecrets(options.secrets);
  const [current] = secrets;
  if (current === undefined) throw new TypeError("readSecrets gives at least one secret");
  const startedAt = clock();
  const shown = secrets.map(({ role, fingerprint }) => ({ role, fingerprint }));
  const forwards = targets.map(({ href }) => href);
  const status = async (): Promise<Status> => ({
    ...{ version, endpoint: endpoint.href, inbox: inboxName, startedAt, signatureHeader },
    ...{ secrets: shown, handlers, forwards, counts: await inbox.counts() },
  });
  return {
    ...{ inbox, status },
    signing: { secrets, signatureHeader },
    outgoing: { inbox, endpoint, targets, signatureHeader, key: current.key, clock },
    refusals: new Refusals(signatureHeader),
    repeats: new Repeats(),
    meter: new Meter(startedAt),
    feed: new LiveFeed(inbox),
  };
}
