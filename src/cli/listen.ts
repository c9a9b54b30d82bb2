import { resolve } from "node:path";
import { describeError } from "../errors.ts";
import { matchesKind } from "../event/kind-pattern.ts";
import type { Observation } from "../receiver/observation.ts";
import { createReceiver, type Receiver } from "../receiver/receiver.ts";
import { type RunningServer, startServer } from "../receiver/server.ts";
import { SyncForward } from "../relay/sync-forward.ts";
import { readSecrets } from "../signature/secrets.ts";
import { catchUp } from "./catch-up.ts";
import { chooseHandlers, reloadOnChange } from "./chosen-handlers.ts";
import { createCliLogger } from "./cli-logger.ts";
import { consoleOnStderr } from "./console-on-stderr.ts";
import type { CliContext } from "./context.ts";
import { type DiagnoseRefusal, DiagnosisLimit } from "./diagnosis-limit.ts";
import { describeRule } from "./forward-rules.ts";
import {
  checkForwarding,
  checkTargets,
  type ForwardingOptions,
  forwardTimeout,
  receiverLimits,
} from "./forwarding.ts";
import { type Goal, type GoalOptions, readGoal } from "./goal.ts";
import { inboxOption } from "./inbox.ts";
import { type InspectOptions, openInspector } from "./inspecting.ts";
import { planStream, streamAddress } from "./listen-stream.ts";
import { planSubscription } from "./listen-subscription.ts";
import { LiveGate } from "./live-gate.ts";
import { showAttempt, showDelivery, wordsOf } from "./live-view.ts";
import { openKeys } from "./open-keys.ts";
import { canWrite, openReadiness } from "./open-readiness.ts";
import { orderByPath } from "./order-path.ts";
import { otherSecrets } from "./other-secrets.ts";
import { openSaveFolder } from "./save-folder.ts";
import { findSecrets, type SecretOptions } from "./secret.ts";
import type { ServiceOptions } from "./service-options.ts";
import { makeStateFolder } from "./state-folder.ts";
import { type Stop, stopAfter, stopOnSignal } from "./stop.ts";
import { watchStrayErrors } from "./stray-errors.ts";
import { Tally } from "./tally.ts";
import { planTunnel } from "./tunnel.ts";
import type { ReachableOptions } from "./tunnel-options.ts";

/** The options of `listen`. */
export interface ListenOptions
  extends GoalOptions,
    SecretOptions,
    ServiceOptions,
    ForwardingOptions,
    ReachableOptions,
    InspectOptions {
  readonly subscribe?: boolean;
  readonly stream?: URL;
  readonly events?: readonly string[];
  readonly port?: number;
  readonly path?: string;
  readonly inbox?: string;
  readonly saveDir?: string;
  readonly signatureHeader?: string;
  readonly readyFile?: string;
  readonly healthPort?: number;
}

/** Runs the local receiver until it is stopped or its goal is reached. */
export async function listen(options: ListenOptions, context: CliContext): Promise<void> {
  const { io, output } = context;
  const goal = readGoal(options);
  const { port = 4400, path = "/webhooks" } = options;
  checkForwarding(options);
  checkTargets(options, port);
  const subscription = planSubscription(options, context);
  const tunnel = planTunnel(options, context);
  const stream = planStream(options, context);
  const secrets = await findSecrets(context, options, true);
  const [current] = readSecrets(secrets.values);
  if (options.inbox === undefined) makeStateFolder(io.cwd);
  const inbox = inboxOption(context, options.inbox);
  const receiver = createReceiver({
    secret: secrets.values,
    inbox,
    log: createCliLogger(output),
    ...(options.signatureHeader !== undefined && { signatureHeader: options.signatureHeader }),
    ...receiverLimits(options),
    ...(options.orderBy !== undefined && { orderBy: orderByPath(options.orderBy) }),
    ...(options.deadLetters !== undefined && { deadLetterOrder: options.deadLetters }),
  });
  const sync = options.sync === true ? new SyncForward(forwardTimeout(options)) : undefined;
  const forwarding = sync?.forwardOptions ?? { timeout: forwardTimeout(options) };
  const tally = new Tally();
  const stops: (() => unknown)[] = [];
  try {
    let stop: (stop: Stop) => void = () => {};
    const stopped = new Promise<Stop>((resolve) => {
      stop = resolve;
    });
    if (options.handlers !== undefined) {
      stops.push(consoleOnStderr(io));
      stops.push(watchStrayErrors(context, () => tally.countStrayError()));
    }
    receiver.replaceHandlers(await chooseHandlers(options, forwarding, context));
    const others = otherSecrets(context, options, secrets);
    const limit = new DiagnosisLimit();
    const diagnose: DiagnoseRefusal = (observation) => limit.diagnose(observation, others);
    const gate = new LiveGate();
    watch(receiver, { goal, tally, diagnose, gate }, options, context, stop);
    // Before everything else is opened, so that it is closed last: a second signal must be heard while closing.
    stops.push(stopOnSignal(goal, tally, context, stop));
    const ready = await openReadiness(options, context, stops);
    await receiver.start();
    stops.push(() => receiver.close());
    ready.checks.add({ name: "receiver", holds: () => receiver.ready });
    ready.checks.add({ name: "inbox", holds: () => canWrite(receiver.inbox) });
    const front = sync?.over(receiver) ?? receiver;
    const server = await startServer(front, { port, host: "127.0.0.1", path, also: tunnel?.alsoHere });
    stops.push(() => server.close());
    if (options.handlers !== undefined) stops.push(reloadOnChange(receiver, options, forwarding, context));
    const { handlers, forwardTo = [], signatureHeader } = options;
    const targets = forwardTo.map(({ target }) => target);
    const inspected = { receiver, endpoint: server.url, inbox, handlers, targets, signatureHeader, diagnose };
    const page = await openInspector(options, { ...inspected, secrets }, context, stops);
    const fingerprint = current?.fingerprint ?? "";
    const found = { ...secrets, fingerprint, inbox, healthUrl: ready.healthUrl, page };
    const fields = announce(server, found, options, context);
    await catchUp(receiver.inbox, options, context);
    if (stream !== undefined) {
      const source = stream.open(receiver, stop);
      stops.push(() => source.close());
      ready.checks.add({ name: "stream", holds: () => stream.online });
      await Promise.race([source.tried, stopped]);
    }
    stops.push(stopAfter(options.timeout, goal, stop));
    const replaying = { receiver, target: server.url, secret: current, signatureHeader };
    stops.push(openKeys({ gate, page, goal, replaying }, options, context, stop));
    if (tunnel !== undefined) stops.push(() => tunnel.close());
    if (tunnel !== undefined) ready.checks.add({ name: "tunnel", holds: () => tunnel.online });
    const at = (url: string | URL) => ({ url: new URL(url), secrets, tunnel: options.tunnel });
    const moved = (url: string) => {
      ready.update({ ...fields, publicUrl: url });
      void subscription?.createElsewhere(at(url), stopped);
    };
    const publicUrl =
      tunnel === undefined ? null : await Promise.race([tunnel.open(front, stop, moved), stopped]);
    if (publicUrl === null || typeof publicUrl === "string") {
      stops.push(ready.announce({ ...fields, publicUrl }));
      output.record("ready", { ...fields, publicUrl });
      await subscription?.create(at(publicUrl ?? server.url), stopped);
    }
    const { reason, exitCode, error } = await stopped;
    context.exitCode = exitCode;
    await closeAll(stops);
    output.talk(`${reason}: ${tally.line}`);
    output.record("stopped", { reason, exitCode, ...tally.fields });
    if (error !== undefined) throw error;
  } finally {
    await closeAll(stops);
  }
}

/** Closes what was opened, in reverse order, each once. */
async function closeAll(stops: (() => unknown)[]): Promise<void> {
  for (let close = stops.pop(); close !== undefined; close = stops.pop()) await close();
}

/** Says where it listens and what it does; gives the same as the fields of a record. */
function announce(
  { url }: RunningServer,
  found: {
    from: string;
    fingerprint: string;
    inbox: string;
    healthUrl: URL | undefined;
    page: URL | undefined;
  },
  options: ListenOptions,
  { output }: CliContext,
): object {
  const { from, fingerprint, inbox, healthUrl, page } = found;
  const { handlers, forwardTo = [], sync = false } = options;
  const own = from.startsWith(".hookporter/") ? "development secret " : "secret ";
  output.talk(`listening on ${url.href}`);
  output.talk(`  ${own}${from} (fingerprint ${fingerprint})`);
  output.talk(`  inbox ${inbox}`);
  if (handlers !== undefined) output.talk(`  handlers ${handlers}`);
  const waits = sync ? " while the sender waits" : "";
  for (const rule of forwardTo) output.talk(`  forwarding to ${describeRule(rule)}${waits}`);
  if (handlers === undefined && forwardTo.length === 0)
    output.talk("  events are kept and shown only (--handlers PATH, --forward-to URL)");
  const stream = options.stream === undefined ? null : streamAddress(options.stream);
  if (stream !== null) output.talk(`  stream ${stream} (experimental; not signed)`);
  if (healthUrl !== undefined) output.talk(`  ${healthUrl.href}readyz says when it is ready`);
  if (page !== undefined) output.talk(`  see each delivery on ${page.href}`);
  const where = url.port === "4400" && url.pathname === "/webhooks" ? "" : ` --url ${url.href}`;
  output.talk(`try it from this folder: npx hookporter trigger payment.received${where}`);
  const forward = forwardTo.map(({ pattern, target }) => ({ pattern, url: target.href }));
  return {
    ...{ url: url.href, pid: process.pid, inbox, secretFingerprint: fingerprint },
    ...{ handlers: handlers ?? null, forward: forward.length === 0 ? null : forward, stream, sync },
    health: healthUrl?.href ?? null,
    inspector: page?.href ?? null,
  };
}

/** What happens is shown through, or counted for. */
interface Watching {
  readonly goal: Goal | undefined;
  readonly tally: Tally;
  readonly diagnose: DiagnoseRefusal;
  readonly gate: LiveGate;
}

/** Counts, shows and saves what happens; calls `stop` when the goal is reached. */
function watch(
  receiver: Receiver,
  { goal, tally, diagnose, gate }: Watching,
  { events = ["*"], saveDir }: ListenOptions,
  { output, clock, io }: CliContext,
  stop: (stop: Stop) => void,
): void {
  const save = saveDir === undefined ? undefined : openSaveFolder(resolve(io.cwd, saveDir));
  receiver.observe((observation) => {
    tally.count(observation);
    const kind = kindOf(observation);
    if (kind === null || events.some((pattern) => matchesKind(pattern, kind))) {
      const words = wordsOf(observation);
      if (observation.type === "attempt") {
        const now = clock();
        gate.pass(words, () => showAttempt(observation, output, now));
      } else {
        const show = () => {
          const diagnosis = diagnose(observation);
          gate.pass(words, () => showDelivery(observation, output, diagnosis));
        };
        // Why a signature fails is worked out when the sender has its answer, and shows nothing of it by the time it takes.
        if (observation.diagnose === undefined) show();
        else setImmediate(show);
        try {
          save?.(observation);
        } catch (thrown) {
          output.talk(`a delivery could not be saved: ${describeError(thrown)}`); // it is in the inbox all the same
        }
      }
    }
    if (goal?.reached(observation) !== true) return;
    const exitCode = goal.failed ? 1 : 0;
    stop({ reason: `goal reached: ${goal.progress}${goal.failed ? ", not all handled" : ""}`, exitCode });
  });
}

function kindOf(observation: Observation): string | null {
  if (observation.type === "attempt") return observation.kind;
  return observation.outcome.type === "accepted" ? observation.outcome.kind : null;
}
