import type { Command } from "commander";
import type { DiagnoseRefusal } from "../../inspector/live/refused-bodies.ts";
import { RunNotes } from "../../inspector/live/run-notes.ts";
import { ownCommand } from "../../package/own-command.ts";
import { type RunningServer, startServer } from "../../receiver/adapters/server.ts";
import type { CliContext } from "../context.ts";
import { outliveOutput } from "../end/outlive-output.ts";
import { type Stop, stopAfter, stopOnSignal } from "../end/stop.ts";
import { ListenTally } from "../end/tally.ts";
import { chooseHandlers, reloadOnChange } from "../handlers/chosen-handlers.ts";
import { consoleOnStderr } from "../handlers/console-on-stderr.ts";
import { watchExitCalls } from "../handlers/exit-calls.ts";
import type { LoadedModules } from "../handlers/handlers-module.ts";
import { NotedRuns } from "../handlers/noted-runs.ts";
import { closeDeadLetterCommand, openDeadLetterCommand, openExec } from "../handlers/open-commands.ts";
import { RunningHandlers } from "../handlers/running-handlers.ts";
import { watchStrayErrors } from "../handlers/stray-errors.ts";
import { DiagnosisLimit } from "../live/diagnosis-limit.ts";
import { openKeys } from "../live/open-keys.ts";
import { RecentEntries } from "../live/recent-entries.ts";
import { StatusBar } from "../live/status-bar.ts";
import { TargetOutages } from "../live/target-outages.ts";
import type { Output } from "../output.ts";
import { type OpenReadiness, openReadiness, stores } from "../ready/open-readiness.ts";
import { recordListening } from "../ready/running-listen.ts";
import { otherSecrets } from "../secrets/other-secrets.ts";
import { fitOptions } from "../settings/fitting.ts";
import { announce } from "./announce.ts";
import { watchLoop } from "./blocked-loop.ts";
import { catchUp } from "./catch-up.ts";
import { sayDrift } from "./drift.ts";
import { FITTING_FLAGS } from "./fitting-flags.ts";
import { openInspector } from "./inspecting.ts";
import type { ListenOptions } from "./options.ts";
import { type ListenPlan, planListening } from "./plan.ts";
import { readWaiting, sayWaiting, type Waiting } from "./waiting.ts";
import { watchDeliveries } from "./watch-deliveries.ts";

interface Session extends ListenPlan {
  readonly options: ListenOptions;
  readonly context: CliContext;
  readonly tally: ListenTally;
  readonly running: RunningHandlers;
  /** The close functions of everything that is open. */
  readonly stops: (() => unknown)[];
  /** Ends the run; only the first call counts. */
  readonly stop: (stop: Stop) => void;
  readonly stopped: Promise<Stop>;
}

/** Milliseconds between lines that say what a stop waits for. */
const WAITING_LINE = 2000;

interface Opened {
  readonly server: RunningServer;
  readonly ready: OpenReadiness;
  /** The fields of the record `ready`. */
  readonly fields: object;
}

/** Runs the local receiver until it is stopped or its goal is reached. */
export async function listen(given: ListenOptions, command: Command, context: CliContext): Promise<void> {
  // A setting that is dropped still names a variable that a tunnel's programs must not get.
  const withheld = [
    given.apiKeyEnv,
    given.accessTokenEnv,
    ...(given.headerEnv ?? []).map(({ value }) => value),
  ];
  const withheldEnv = withheld.filter((name) => name !== undefined);
  const options = { ...fitOptions(given, command, FITTING_FLAGS), withheldEnv };
  const plan = await planListening(options, context);
  let stop: (stop: Stop) => void = () => {};
  const stopped = new Promise<Stop>((resolve) => {
    stop = resolve;
  });
  outliveOutput(context);
  const tally = new ListenTally();
  const running = new RunningHandlers();
  const session: Session = { ...plan, options, context, tally, running, stops: [], stop, stopped };
  try {
    await reach(session, await open(session));
    const { reason, exitCode, error } = await stopped;
    context.exitCode = exitCode;
    await closeAll(session);
    context.output.talk(`${reason}: ${tally.line}`);
    if (exitCode === 6)
      context.output.talk(`run ${ownCommand("doctor")} with the same flags to look for the cause`);
    const waiting = await readWaitingFor(session);
    sayWaiting(waiting, "", context.output);
    context.output.record("stopped", { reason, exitCode, ...tally.fields, waiting: waiting.targets });
    if (error !== undefined) throw error;
  } finally {
    await closeAll(session);
  }
}

/** Closes everything that was opened, once, in reverse order, even what comes after something that cannot be closed. */
async function closeAll(session: Session): Promise<void> {
  const close = session.stops.pop();
  if (close === undefined) return;
  try {
    await close();
  } finally {
    await closeAll(session);
  }
}

/** What waits for targets; nothing if there are none, so that no file is read in vain. */
async function readWaitingFor({ options, inbox }: Session): Promise<Waiting> {
  return (options.forwardTo ?? []).length === 0 ? { targets: [], others: 0 } : readWaiting(inbox);
}

/** Opens the receiver, its port on this machine, and the views. */
async function open(session: Session): Promise<Opened> {
  const { options, context, stops, stop, tally, goal, receiver, secrets, current, inbox, tunnel } = session;
  const { running, newInbox } = session;
  const { handlers, forwardTo = [], signatureHeader } = options;
  const runNotes = options.inspect === false ? undefined : new RunNotes(Date.now);
  const noted = new NotedRuns(runNotes);
  if (handlers !== undefined) {
    const write = (text: string) => context.output.aside(noted.numbered(text));
    stops.push(consoleOnStderr(context.io, noted.printed.bind(noted), write));
    stops.push(watchStrayErrors(context, () => tally.countStrayError()));
    stops.push(watchListenExit(session));
    stops.push(watchLoop(running, context.io));
  }
  const command = openExec(options, inbox, context, noted.printed.bind(noted, false));
  if (command !== undefined) stops.push(() => command.close());
  const onDead = openDeadLetterCommand(options, inbox, context);
  const loaded: LoadedModules = {};
  const choice = { ...options, command, running, loaded, onDeadLetter: onDead?.note, noted };
  receiver.replaceHandlers(await chooseHandlers(choice, session.forwarding, context));
  const diagnose = diagnosing(session);
  const { output, clock } = context;
  const recent = new RecentEntries();
  const bar = new StatusBar(output);
  stops.push(() => bar.close());
  const outages = new TargetOutages({ output, bar, clock, waiting: () => receiver.inbox.waiting({}) });
  stops.push(() => outages.close());
  const watching = { goal, tally, diagnose, outages, recent, bar, inbox };
  stops.push(sayDrift(receiver, context));
  stops.push(watchDeliveries(receiver, watching, options, context, stop));
  // Registered first, so that it is closed last: a second signal must be heard while closing.
  stops.push(stopOnSignal(goal, tally, context, stop));
  // The receiver is closed before, whose last handlers may still end in dead letters.
  if (onDead !== undefined) stops.push(() => closeDeadLetterCommand(onDead, context));
  const ready = await openReadiness(options, context, { receiver, stops });
  const waiting = await readWaitingFor(session);
  await receiver.start();
  stops.push(() => sayWhileClosing(receiver.close(), running, context.output));
  ready.checks.add({ name: "receiver", holds: () => receiver.refusing !== "closed" });
  ready.checks.add({ name: "inbox", holds: () => stores(receiver) });
  const { port, path, front } = session;
  const server = await startServer(front, { port, host: "127.0.0.1", path, also: tunnel?.alsoHere });
  stops.push(() => server.close());
  stops.push(recordListening(context.io.cwd, server.url));
  if (handlers !== undefined)
    stops.push(reloadOnChange(receiver, { ...choice, handlers }, session.forwarding, context));
  const targets = forwardTo.map(({ target }) => target);
  const inspected = {
    receiver,
    endpoint: server.url,
    inbox: inbox.shown,
    handlers,
    targets,
    signatureHeader,
  };
  const noting = { secrets, diagnose, ...(runNotes && { runNotes }) };
  const page = await openInspector(options, { ...inspected, ...noting }, context, stops);
  const fingerprint = current?.fingerprint ?? "";
  const found = { ...secrets, fingerprint, inbox: inbox.shown, newInbox: newInbox.made };
  const fields = announce(server, { ...found, healthUrl: ready.healthUrl, page, waiting }, options, context);
  const keys = { bar, recent, page, goal, inbox: receiver.inbox, target: server.url };
  stops.push(openKeys({ ...keys, secret: current, signatureHeader }, options, context, stop));
  return { server, ready, fields };
}

async function sayWhileClosing(closed: Promise<void>, running: RunningHandlers, output: Output) {
  const timer = setInterval(() => {
    if (running.names !== "") output.talk(`waiting for ${running.names}`);
  }, WAITING_LINE);
  await closed.finally(() => clearInterval(timer));
}

/** Reports a handler's call of `process.exit`, and what happens to the interrupted entries. */
function watchListenExit({ context, inbox, running, tally }: Session): () => void {
  const fate =
    inbox.option === "memory:" ? "lost with the inbox in memory" : "to run again at the next start";
  return watchExitCalls(
    {
      consequence: () =>
        running.names === "" ? "No entry was interrupted" : `Interrupted, ${fate}: ${running.names}`,
      onEnd: (reason, exitCode) => context.output.record("stopped", { reason, exitCode, ...tally.fields }),
    },
    context,
  );
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
  if (subscription !== undefined) ready.checks.add({ name: "subscription", holds: () => subscription.known });
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
