import type { Command } from "commander";
import { startServer } from "../../adapters/server.ts";
import { ownCommand } from "../../base/package/own-command.ts";
import { RunNotes } from "../../inspector/live/run-notes.ts";
import { inboxOf } from "../../receiver/inbox-view.ts";
import type { CliContext } from "../context.ts";
import { outliveOutput } from "../end/outlive-output.ts";
import { stopAfter, stopOnSignal } from "../end/stop.ts";
import { chooseHandlers, reloadOnChange } from "../handlers/chosen-handlers.ts";
import { consoleOnStderr } from "../handlers/console-on-stderr.ts";
import { watchExitCalls } from "../handlers/exit-calls.ts";
import { NotedRuns } from "../handlers/noted-runs.ts";
import { openDeadLetterCommand, openExec } from "../handlers/open-commands.ts";
import type { RunningHandlers } from "../handlers/running-handlers.ts";
import { watchStrayErrors } from "../handlers/stray-errors.ts";
import type { LoadedModules } from "../handlers/watch-handlers.ts";
import { recordedInbox } from "../inbox/recorded-inbox.ts";
import type { Output } from "../output.ts";
import { openReadiness, stores } from "../ready/open-readiness.ts";
import { recordListening } from "../ready/running-listen.ts";
import { resolveOptionConflicts } from "../settings/fitting.ts";
import { announce, warnOfSeveral } from "./announce.ts";
import { watchLoop } from "./blocked-loop.ts";
import { catchUp } from "./catch-up.ts";
import { printDrift } from "./drift.ts";
import { FITTING_FLAGS } from "./fitting-flags.ts";
import { openInspector } from "./inspecting.ts";
import { openKeys } from "./keys.ts";
import type { ListenOptions } from "./listen-options.ts";
import { type ListenSession, planListening } from "./plan.ts";
import { printWaiting, readWaiting } from "./waiting.ts";
import { watchDeliveries } from "./watch-deliveries.ts";

/** Milliseconds between lines that say what a stop waits for. */
const WAITING_LINE = 2000;

/** Runs the local receiver until it is stopped or its goal is reached. */
export async function listen(
  given: ListenOptions,
  command: Command,
  context: CliContext,
): Promise<void> {
  // A setting that is dropped still names a variable that a tunnel's programs must not get.
  const withheld = [
    given.apiKeyEnv,
    given.accessTokenEnv,
    ...(given.headerEnv ?? []).map(({ value }) => value),
  ];
  const withheldEnv = withheld.filter((name) => name !== undefined);
  const options = { ...resolveOptionConflicts(given, command, FITTING_FLAGS), withheldEnv };
  const session = await planListening(options, context);
  const { stopped, tally } = session;
  outliveOutput(context);
  try {
    await reach(session, await open(session));
    const { reason, exitCode, error } = await stopped;
    context.exitCode = exitCode;
    await closeAll(session);
    context.output.talk(`${reason}: ${tally.line}`);
    if (exitCode === 6)
      context.output.talk(
        `\`${ownCommand("doctor --listen")}\` looks for the cause: add --port, --inbox, --handlers, --forward-to and --tunnel as here`,
      );
    const waiting = await readWaiting(session);
    printWaiting(waiting, "", context.output);
    context.output.record("stopped", {
      reason,
      exitCode,
      ...tally.fields,
      waiting: waiting.targets,
    });
    if (error !== undefined) throw error;
  } finally {
    await closeAll(session);
  }
}

/**
 * Closes everything that was opened, once, in reverse order, even what comes after something that
 * cannot be closed.
 */
async function closeAll(session: ListenSession): Promise<void> {
  const close = session.stops.pop();
  if (close === undefined) return;
  try {
    await close();
  } finally {
    await closeAll(session);
  }
}

/**
 * Opens the receiver, its port on this machine, and the views; returns also the fields of the
 * record `ready`.
 */
async function open(session: ListenSession) {
  const { options, context, stops, stop, tally, goal, receiver, inbox, tunnel, running } = session;
  const { handlers } = options;
  const runNotes = options.inspect === false ? undefined : new RunNotes(Date.now);
  const noted = new NotedRuns(runNotes);
  if (handlers !== undefined) {
    const write = (text: string) => context.output.writeStderr(noted.numbered(text));
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
  stops.push(() => session.bar.close());
  stops.push(printDrift(receiver, context));
  stops.push(watchDeliveries(session));
  // Closed before, so that what waits for a diagnosis is still shown.
  stops.push(() => session.diagnosis.close());
  // Registered first, so that it is closed last: a second signal must be heard while closing.
  stops.push(stopOnSignal(goal, tally, context, stop));
  // The receiver is closed before, whose last handlers may still end in dead letters.
  if (onDead !== undefined) stops.push(onDead.close);
  const ready = await openReadiness(options, context, { receiver, stops });
  const waiting = await readWaiting(session);
  await receiver.start();
  session.diagnosis.start();
  stops.push(() => printWhileClosing(receiver.close(), running, context.output));
  ready.checks.add({ name: "receiver", holds: () => receiver.refusing !== "closed" });
  ready.checks.add({ name: "inbox", holds: () => stores(receiver) });
  const { port, path, front } = session;
  const server = await startServer(front, {
    port,
    host: "127.0.0.1",
    path,
    also: tunnel?.alsoHere,
  });
  stops.push(() => server.close());
  stops.push(recordListening(context.io.cwd, server.url, recordedInbox(inbox, context.io.cwd)));
  if (handlers !== undefined)
    stops.push(reloadOnChange(receiver, { ...choice, handlers }, session.forwarding, context));
  const page = await openInspector(session, server.url, runNotes);
  const fields = announce(session, { url: server.url, healthUrl: ready.healthUrl, page, waiting });
  stops.push(openKeys(session, server.url, page));
  return { server, ready, fields };
}

async function printWhileClosing(closed: Promise<void>, running: RunningHandlers, output: Output) {
  const timer = setInterval(() => {
    if (running.names !== "") output.talk(`waiting for ${running.names}`);
  }, WAITING_LINE);
  await closed.finally(() => clearInterval(timer));
}

/** Reports a handler's call of `process.exit`, and what happens to the interrupted entries. */
function watchListenExit({ context, inbox, running, tally }: ListenSession): () => void {
  const fate =
    inbox.option === "memory:" ? "lost with the inbox in memory" : "to run again at the next start";
  const consequence = () =>
    running.names === "" ? "No entry was interrupted" : `Interrupted, ${fate}: ${running.names}`;
  return watchExitCalls(context, consequence, (reason, exitCode) =>
    context.output.record("stopped", { reason, exitCode, ...tally.fields }),
  );
}

/** Opens stream and tunnel; reports readiness once deliveries can arrive through all of them. */
async function reach(
  session: ListenSession,
  { server, ready, fields }: Awaited<ReturnType<typeof open>>,
) {
  const { options, context, stops, stop, stopped, goal, receiver, secrets } = session;
  const { stream, tunnel, subscription } = session;
  await warnOfSeveral(session);
  await catchUp(inboxOf(receiver), options, context);
  if (stream !== undefined) {
    const source = stream.open(receiver, stop);
    stops.push(() => source.close());
    ready.checks.add({ name: "stream", holds: () => stream.online });
    await Promise.race([source.tried, stopped]);
  }
  stops.push(stopAfter(options.timeout, goal, stop));
  if (subscription !== undefined)
    ready.checks.add({ name: "subscription", holds: () => subscription.known });
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
