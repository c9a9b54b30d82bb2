import { type RunningServer, startServer } from "../receiver/server.ts";
import { announce } from "./announce.ts";
import { catchUp } from "./catch-up.ts";
import { chooseHandlers, reloadOnChange } from "./chosen-handlers.ts";
import { consoleOnStderr } from "./console-on-stderr.ts";
import type { CliContext } from "./context.ts";
import { type DiagnoseRefusal, DiagnosisLimit } from "./diagnosis-limit.ts";
import { openInspector } from "./inspecting.ts";
import type { ListenOptions } from "./listen-options.ts";
import { type ListenPlan, planListening } from "./listen-plan.ts";
import { LiveGate } from "./live-gate.ts";
import { openKeys } from "./open-keys.ts";
import { canWrite, type OpenReadiness, openReadiness } from "./open-readiness.ts";
import { otherSecrets } from "./other-secrets.ts";
import { type Stop, stopAfter, stopOnSignal } from "./stop.ts";
import { watchStrayErrors } from "./stray-errors.ts";
import { Tally } from "./tally.ts";
import { watchDeliveries } from "./watch-deliveries.ts";

/** One run of `listen`. */
interface Session extends ListenPlan {
  readonly options: ListenOptions;
  readonly context: CliContext;
  readonly tally: Tally;
  /** The close functions of everything that is open. */
  readonly stops: (() => unknown)[];
  /** Ends the run; only the first call counts. */
  readonly stop: (stop: Stop) => void;
  readonly stopped: Promise<Stop>;
}

/** The state of a session once its own port is open. */
interface Opened {
  readonly server: RunningServer;
  readonly ready: OpenReadiness;
  /** The fields of the record `ready`. */
  readonly fields: object;
}

/** Runs the local receiver until it is stopped or its goal is reached. */
export async function listen(options: ListenOptions, context: CliContext): Promise<void> {
  const plan = await planListening(options, context);
  let stop: (stop: Stop) => void = () => {};
  const stopped = new Promise<Stop>((resolve) => {
    stop = resolve;
  });
  const tally = new Tally();
  const session: Session = { ...plan, options, context, tally, stops: [], stop, stopped };
  try {
    await reach(session, await open(session));
    const { reason, exitCode, error } = await stopped;
    context.exitCode = exitCode;
    await closeAll(session);
    context.output.talk(`${reason}: ${tally.line}`);
    context.output.record("stopped", { reason, exitCode, ...tally.fields });
    if (error !== undefined) throw error;
  } finally {
    await closeAll(session);
  }
}

/** Closes everything that was opened, once, in reverse order. */
async function closeAll({ stops }: Session): Promise<void> {
  for (let close = stops.pop(); close !== undefined; close = stops.pop()) await close();
}

/** Opens the receiver, its port on this machine, and the views. */
async function open(session: Session): Promise<Opened> {
  const { options, context, stops, stop, tally, goal, receiver, secrets, current, inbox, tunnel } = session;
  const { handlers, forwardTo = [], signatureHeader } = options;
  if (handlers !== undefined) {
    stops.push(consoleOnStderr(context.io));
    stops.push(watchStrayErrors(context, () => tally.countStrayError()));
  }
  receiver.replaceHandlers(await chooseHandlers(options, session.forwarding, context));
  const diagnose = diagnosing(session);
  const gate = new LiveGate();
  watchDeliveries(receiver, { goal, tally, diagnose, gate }, options, context, stop);
  // Registered first, so that it is closed last: a second signal must be heard while closing.
  stops.push(stopOnSignal(goal, tally, context, stop));
  const ready = await openReadiness(options, context, stops);
  await receiver.start();
  stops.push(() => receiver.close());
  ready.checks.add({ name: "receiver", holds: () => receiver.ready });
  ready.checks.add({ name: "inbox", holds: () => canWrite(receiver.inbox) });
  const { port, path, front } = session;
  const server = await startServer(front, { port, host: "127.0.0.1", path, also: tunnel?.alsoHere });
  stops.push(() => server.close());
  if (handlers !== undefined) stops.push(reloadOnChange(receiver, options, session.forwarding, context));
  const targets = forwardTo.map(({ target }) => target);
  const inspected = { receiver, endpoint: server.url, inbox, handlers, targets, signatureHeader, diagnose };
  const page = await openInspector(options, { ...inspected, secrets }, context, stops);
  const fingerprint = current?.fingerprint ?? "";
  const found = { ...secrets, fingerprint, inbox, healthUrl: ready.healthUrl, page };
  const fields = announce(server, found, options, context);
  const replaying = { receiver, target: server.url, secret: current, signatureHeader };
  stops.push(openKeys({ gate, page, goal, replaying }, options, context, stop));
  return { server, ready, fields };
}

/** Explains failed signatures, within the limit of one run. */
function diagnosing({ options, context, secrets }: Session): DiagnoseRefusal {
  const others = otherSecrets(context, options, secrets);
  const limit = new DiagnosisLimit();
  return (observation) => limit.diagnose(observation, others);
}

/** Opens stream and tunnel; reports readiness once deliveries can arrive through all of them. */
async function reach(session: Session, { server, ready, fields }: Opened): Promise<void> {
  const { options, context, stops, stop, stopped, goal, receiver, secrets } = session;
  const { stream, tunnel, subscription } = session;
  await catchUp(receiver.inbox, options, context);
  if (stream !== undefined) {
    const source = stream.open(receiver, stop);
    stops.push(() => source.close());
    ready.checks.add({ name: "stream", holds: () => stream.online });
    await Promise.race([source.tried, stopped]);
  }
  stops.push(stopAfter(options.timeout, goal, stop));
  const at = (url: string | URL) => ({ url: new URL(url), secrets, tunnel: options.tunnel });
  let publicUrl: string | null = null;
  if (tunnel !== undefined) {
    stops.push(() => tunnel.close());
    ready.checks.add({ name: "tunnel", holds: () => tunnel.online });
    const moved = (url: string) => {
      ready.update({ ...fields, publicUrl: url });
      void subscription?.createElsewhere(at(url), stopped);
    };
    const opened = await Promise.race([tunnel.open(session.front, stop, moved), stopped]);
    if (typeof opened !== "string") return;
    publicUrl = opened;
  }
  stops.push(ready.announce({ ...fields, publicUrl }));
  context.output.record("ready", { ...fields, publicUrl });
  await subscription?.create(at(publicUrl ?? server.url), stopped);
}
