import { mkdirSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { describeError, HookporterError } from "../errors.ts";
import { matchesKind } from "../event/kind-pattern.ts";
import type { DeliveryObservation, Observation } from "../receiver/observation.ts";
import { createReceiver, type Receiver } from "../receiver/receiver.ts";
import type { HandlerRegistry } from "../receiver/router.ts";
import { type RunningServer, startServer } from "../receiver/server.ts";
import { formatDelivery } from "../relay/fixture.ts";
import { fixtureName } from "../relay/fixture-name.ts";
import { forwardTo } from "../relay/forward.ts";
import { readSecrets } from "../signature/secrets.ts";
import { createCliLogger } from "./cli-logger.ts";
import type { CliContext } from "./context.ts";
import type { ExitCode } from "./exit-codes.ts";
import { type Goal, type GoalOptions, readGoal } from "./goal.ts";
import { loadHandlers, type RegisterHandlers, watchHandlers } from "./handlers-module.ts";
import { inboxOption } from "./inbox.ts";
import { showAttempt, showDelivery } from "./live-view.ts";
import { findSecrets, type SecretOptions } from "./secret.ts";
import { makeStateFolder } from "./state-folder.ts";

/** The options of `listen`. */
export interface ListenOptions extends GoalOptions, SecretOptions {
  readonly port?: number;
  readonly path?: string;
  readonly inbox?: string;
  readonly handlers?: string;
  readonly forwardTo?: URL;
  readonly saveDir?: string;
  readonly signatureHeader?: string;
}

/** A target may be down for as long as it likes while nothing else runs here. */
const FORWARD_RETRY = { attempts: Number.POSITIVE_INFINITY, delay: 500, maxDelay: 30_000 };

/** Runs the local receiver until it is stopped or its goal is reached. */
export async function listen(options: ListenOptions, context: CliContext): Promise<void> {
  const { io, output } = context;
  const goal = readGoal(options);
  const secrets = await findSecrets(context, options, true);
  const [current] = readSecrets(secrets.values);
  if (options.inbox === undefined) makeStateFolder(io.cwd);
  if (options.saveDir !== undefined) makeFolder(resolve(io.cwd, options.saveDir));
  const inbox = inboxOption(context, options.inbox);
  const receiver = createReceiver({
    secret: secrets.values,
    inbox,
    log: createCliLogger(output),
    ...(options.signatureHeader !== undefined && { signatureHeader: options.signatureHeader }),
    ...(options.forwardTo !== undefined && options.handlers === undefined && { retry: FORWARD_RETRY }),
  });
  receiver.replaceHandlers(await chooseHandlers(options, context));

  const stopping = new Promise<Stop>((stop) => watch(receiver, goal, options, context, stop));
  const stops: (() => unknown)[] = [];
  try {
    await receiver.start();
    stops.push(() => receiver.close());
    const { port = 4400, path = "/webhooks" } = options;
    const server = await startServer(receiver, { port, host: "127.0.0.1", path });
    stops.push(() => server.close());
    if (options.handlers !== undefined) stops.push(reloadOnChange(receiver, options, context));
    announce(server, { ...secrets, fingerprint: current?.fingerprint ?? "", inbox }, options, context);
    const requested = new Promise<Stop>((stop) => stops.push(watchForStop(goal, options, context, stop)));
    const stop = await Promise.race([stopping, requested]);
    context.exitCode = stop.exitCode;
    await closeAll(stops);
    output.talk(stop.reason);
    output.record("stopped", { reason: stop.reason, exitCode: stop.exitCode });
  } finally {
    await closeAll(stops);
  }
}

/** Why listening ends. */
interface Stop {
  readonly reason: string;
  readonly exitCode: ExitCode;
}

/** Closes what was opened, in reverse order, each once. */
async function closeAll(stops: (() => unknown)[]): Promise<void> {
  for (let close = stops.pop(); close !== undefined; close = stops.pop()) await close();
}

function announce(
  { url }: RunningServer,
  secret: { from: string; fingerprint: string; inbox: string },
  options: ListenOptions,
  { output }: CliContext,
): void {
  const { from, fingerprint, inbox } = secret;
  const own = from.startsWith(".hookporter/") ? "development secret " : "secret ";
  output.talk(`listening on ${url.href}`);
  output.talk(`  ${own}${from} (fingerprint ${fingerprint})`);
  output.talk(`  inbox ${inbox}`);
  if (options.handlers !== undefined) output.talk(`  handlers ${options.handlers}`);
  if (options.forwardTo !== undefined) output.talk(`  forwarding to ${options.forwardTo.href}`);
  const where = url.port === "4400" && url.pathname === "/webhooks" ? "" : ` --url ${url.href}`;
  output.talk(`try it from this folder: npx hookporter trigger payment.received${where}`);
  const forward = options.forwardTo?.href ?? null;
  const handlers = options.handlers ?? null;
  output.record("ready", {
    url: url.href,
    pid: process.pid,
    inbox,
    secretFingerprint: fingerprint,
    handlers,
    forward,
  });
}

/** Shows, saves and counts what happens; calls `stop` when the goal is reached. */
function watch(
  receiver: Receiver,
  goal: Goal | undefined,
  options: ListenOptions,
  { output, clock, io }: CliContext,
  stop: (stop: Stop) => void,
): void {
  const wanted = ({ kind }: { kind: string | null }) =>
    kind === null || (options.events ?? ["*"]).some((pattern) => matchesKind(pattern, kind));
  let saved = 0;
  receiver.observe((observation) => {
    if (wanted({ kind: kindOf(observation) })) {
      if (observation.type === "attempt") showAttempt(observation, output, clock());
      else {
        showDelivery(observation, output);
        if (options.saveDir !== undefined) save(resolve(io.cwd, options.saveDir), observation, ++saved);
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

/** Calls `stop` when a signal comes or the time is over; gives the way to end that. */
function watchForStop(
  goal: Goal | undefined,
  { timeout }: ListenOptions,
  { io, output }: CliContext,
  stop: (stop: Stop) => void,
): () => void {
  let asked = false;
  const off = io.onSignal((signal) => {
    const interrupted = signal === "SIGINT" ? 130 : 143;
    if (asked) io.exit(interrupted);
    asked = true;
    output.talk("stopping; again to stop at once");
    stop({ reason: `stopped by ${signal}`, exitCode: goal === undefined ? 0 : interrupted });
  });
  const giveUp = () => stop({ reason: `timed out: ${goal?.progress} in ${timeout} ms`, exitCode: 6 });
  const timer = timeout === undefined ? undefined : setTimeout(giveUp, timeout);
  return () => {
    clearTimeout(timer);
    off();
  };
}

async function chooseHandlers(options: ListenOptions, { io }: CliContext): Promise<RegisterHandlers> {
  const { handlers, forwardTo: target, events = ["*"] } = options;
  const own = handlers === undefined ? undefined : await loadHandlers(io.cwd, handlers);
  return (registry) => {
    own?.(options.events === undefined ? registry : onlyKinds(registry, events));
    if (target !== undefined) registry.on("*", ofKinds(events, forwardTo(target)), { name: "forward" });
  };
}

/** A registry whose handlers skip the kinds that were not asked for. */
function onlyKinds(registry: HandlerRegistry, kinds: readonly string[]): HandlerRegistry {
  return {
    on: (
      pattern: string,
      handler: Parameters<HandlerRegistry["onUnknown"]>[0],
      options?: { name?: string },
    ) => registry.on(pattern as "*", ofKinds(kinds, handler), options),
    onUnknown: (handler, options) => registry.onUnknown(ofKinds(kinds, handler), options),
    onDead: (listener) => registry.onDead(listener),
  };
}

function ofKinds(
  kinds: readonly string[],
  handler: Parameters<HandlerRegistry["onUnknown"]>[0],
): Parameters<HandlerRegistry["onUnknown"]>[0] {
  return (event, more) =>
    kinds.some((pattern) => matchesKind(pattern, event.kind)) ? handler(event, more) : undefined;
}

function reloadOnChange(receiver: Receiver, options: ListenOptions, context: CliContext): () => void {
  const { io, output } = context;
  return watchHandlers(io.cwd, options.handlers ?? "", () => {
    chooseHandlers(options, context)
      .then((register) => {
        receiver.replaceHandlers(register);
        output.talk("handlers reloaded");
      })
      .catch((thrown: unknown) => output.talk(`handlers kept as they were: ${describeError(thrown)}`));
  });
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new HookporterError("input_invalid", `${path} cannot be made: ${describeError(cause)}`, { cause });
  }
}

function save(folder: string, { delivery, outcome }: DeliveryObservation, order: number): void {
  if (delivery === undefined || !("eventId" in outcome)) return;
  const kind = outcome.type === "accepted" ? outcome.kind : null;
  const name = fixtureName(delivery.receivedAt, order, kind, outcome.eventId);
  writeFileSync(resolve(folder, name), formatDelivery(delivery), { mode: 0o600 });
}
