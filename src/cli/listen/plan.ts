import { join } from "node:path";
import type { Logger } from "../../base/logger.ts";
import { findPackageRoot } from "../../base/package/package-root.ts";
import { DEFAULT_PATH, DEFAULT_PORT } from "../../http/default-endpoint.ts";
import { sqliteInUse } from "../../inbox/open.ts";
import { createReceiver } from "../../receiver/create-receiver.ts";
import type { Receiver } from "../../receiver/receiver.ts";
import { syncForward } from "../../relay/sync-forward.ts";
import { readSecrets, type Secret } from "../../signature/secrets.ts";
import { SIGNATURE_HEADER } from "../../signature/signature-format.ts";
import { createCliLogger, loggerWithout } from "../cli-logger.ts";
import type { CliContext } from "../context.ts";
import { Goal } from "../end/goal.ts";
import type { Stop } from "../end/stop.ts";
import { ListenTally } from "../end/tally.ts";
import { checkInbox } from "../events/inbox.ts";
import { makeStateFolder } from "../files/state-folder.ts";
import { forwardRequest } from "../handlers/forward-request.ts";
import type { Forwarding } from "../handlers/forward-rules.ts";
import {
  forwardingOf,
  forwardTimeout,
  orderByPath,
  receiverLimits,
} from "../handlers/forwarding.ts";
import { RunningHandlers } from "../handlers/running-handlers.ts";
import { type NamedInbox, nameInbox } from "../inbox/named-inbox.ts";
import { DiagnosisThread } from "../live/diagnosis-thread.ts";
import { RecentEntries } from "../live/recent-entries.ts";
import { StatusBar } from "../live/status-bar.ts";
import { otherSecrets } from "../secrets/other-secrets.ts";
import { type FoundSecrets, findSecrets } from "../secrets/secret.ts";
import { currentSecret } from "../service/subscription.ts";
import type { SupervisedTunnel } from "../tunnel/supervised-tunnel.ts";
import { planTunnel } from "../tunnel/tunnel.ts";
import { driftOption } from "./drift.ts";
import type { ListenOptions } from "./listen-options.ts";
import { type PlannedStream, planStream } from "./stream.ts";
import type { Subscribing } from "./subscribing.ts";

/** One run of `listen`: at first all its options read and checked, and nothing opened yet. */
export interface ListenSession {
  readonly options: ListenOptions;
  readonly context: CliContext;
  readonly port: number;
  readonly path: string;
  readonly goal: Goal | undefined;
  readonly secrets: FoundSecrets;
  /** The secret that signs; deliveries may also be signed with the others. */
  readonly current: Secret | undefined;
  readonly inbox: NamedInbox;
  /** Whether there was no inbox before. */
  readonly newInbox: { readonly made: boolean };
  readonly receiver: Receiver;
  /** What handles requests: the receiver, or with `--sync` the relay in front of it. */
  readonly front: Pick<Receiver, "receive">;
  readonly forwarding: Forwarding;
  readonly tunnel: SupervisedTunnel | undefined;
  readonly stream: PlannedStream | undefined;
  readonly subscription: Subscribing | undefined;
  readonly tally: ListenTally;
  readonly running: RunningHandlers;
  /** Explains failed signatures, once it is started. */
  readonly diagnosis: DiagnosisThread;
  readonly recent: RecentEntries;
  readonly bar: StatusBar;
  /** The close functions of everything that is open. */
  readonly stops: (() => unknown)[];
  /** Ends the run; only the first call counts. */
  readonly stop: (stop: Stop) => void;
  readonly stopped: Promise<Stop>;
}

/**
 * Reads the options. Creates the state folder and its secret if there is none. Throws `usage` if a
 * tunnel or a subscription lacks an option; ConfigurationError for secrets, keys and addresses.
 */
export async function planListening(
  options: ListenOptions,
  context: CliContext,
): Promise<ListenSession> {
  const { port = DEFAULT_PORT, path = DEFAULT_PATH } = options;
  // until it is stopped
  const isEndless = options.count === undefined && options.waitFor === undefined;
  const goal = isEndless ? undefined : new Goal(options);
  const subscription = await planSubscribing(options, context);
  const tunnel = planTunnel(options, context);
  const stream = await planStream(options, context);
  const request = await forwardRequest(options, context);
  const inbox = nameInbox(context, options.inbox);
  // a missing package is reported before a secret is made
  if (inbox.file !== undefined) sqliteInUse();
  const secrets = await findSecrets(context, options, true);
  // refuses what cannot be sent before anything is opened
  if (subscription !== undefined) currentSecret(secrets);
  const [current] = readSecrets(secrets.values);
  if (options.inbox === undefined) makeStateFolder(context.io.cwd);
  checkInbox(inbox);
  const newInbox = { made: false };
  // the live view shows these
  const log = loggerWithout(["outcome", "drift", "reason"], createCliLogger(context.output));
  const receiver = createReceiver({
    secret: secrets.values,
    inbox: inbox.option,
    log: noting(newInbox, log),
    ...(options.signatureHeader !== undefined && { signatureHeader: options.signatureHeader }),
    ...receiverLimits(options),
    ...(options.orderBy !== undefined && { orderBy: orderByPath(options.orderBy) }),
    ...(options.role !== undefined && { role: options.role }),
    ...(options.deadLetters !== undefined && { deadLetterOrder: options.deadLetters }),
    ...driftOption(options, context),
  });
  const sync = options.sync === true ? syncForward(forwardTimeout(options)) : undefined;
  const front = sync?.over(receiver) ?? receiver;
  const forwarding = { ...forwardingOf(options, context), ...sync?.forwardOptions, ...request };
  let stop: ListenSession["stop"] = () => {};
  const stopped = new Promise<Stop>((resolve) => {
    stop = resolve;
  });
  return {
    options,
    context,
    port,
    path,
    goal,
    secrets,
    current,
    inbox,
    newInbox,
    receiver,
    front,
    forwarding,
    tunnel,
    stream,
    subscription,
    stops: [],
    stop,
    stopped,
    tally: new ListenTally(),
    running: new RunningHandlers(),
    recent: new RecentEntries(),
    diagnosis: await planDiagnosis(secrets, options, context),
    bar: new StatusBar(context.output),
  };
}

/** Loads what a subscription needs only if there is to be one. */
async function planSubscribing(options: ListenOptions, context: CliContext) {
  if (options.subscribe !== true) return undefined;
  const { planSubscription } = await import("./subscribing.ts");
  return planSubscription(options, context);
}

async function planDiagnosis(secrets: FoundSecrets, options: ListenOptions, context: CliContext) {
  const { path: root } = await findPackageRoot();
  return new DiagnosisThread({
    program: join(root, "dist", "diagnosis-thread.js"),
    start: () => ({
      secrets: readSecrets(secrets.values),
      others: otherSecrets(context, options, secrets),
      signatureHeader: options.signatureHeader ?? SIGNATURE_HEADER,
    }),
    warn: (message) => createCliLogger(context.output).warn({}, message),
  });
}

/**
 * A logger that notes that an inbox was made, so that `listen` says it beside the inbox's path and
 * not in a line above its title. That is the only information about an inbox: the other lines are
 * warnings.
 */
function noting(newInbox: { made: boolean }, log: Logger): Logger {
  const info: Logger["info"] = (fields, message) => {
    if ("inbox" in fields) newInbox.made = true;
    else log.info(fields, message);
  };
  return { ...log, info };
}
