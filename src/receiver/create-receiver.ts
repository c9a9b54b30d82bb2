import type { ReceiverErrorCode } from "../base/errors.ts";
import { Listeners } from "../base/listeners.ts";
import { checkFunction } from "../base/options/check-options.ts";
import { Dispatcher } from "../dispatch/dispatcher.ts";
import type { DrainReport } from "../dispatch/drain.ts";
import type { AnyHandler, DeadLetter } from "../dispatch/plan/handler.ts";
import type { DataProblem } from "../event/data-problems.ts";
import type { Delivery } from "../event/delivery.ts";
import { readEnvelopeAgain } from "../event/read-envelope.ts";
import type { DataSchemas } from "../event/schemas.ts";
import type { Answer } from "../http/answer.ts";
import { isUnfit } from "../inbox/new-entry.ts";
import type { Channel } from "./channel.ts";
import { DeadLetters } from "./dead-letter.ts";
import { recheckEntry } from "./decides-in-time.ts";
import type { Drift } from "./drift.ts";
import { DriftListeners } from "./drift-listeners.ts";
import { declaredHandlers } from "./handlers/declared-handlers.ts";
import type { HandlersOption } from "./handlers/define-handlers.ts";
import type { HandlerOptions } from "./handlers/handler-options.ts";
import type { HandlerSet } from "./handlers/handler-set.ts";
import { MissingHandlers } from "./handlers/missing-handlers.ts";
import { Registration } from "./handlers/registration.ts";
import { useHandlers } from "./handlers/use-handlers.ts";
import { type InboxView, viewOf } from "./inbox-view.ts";
import type { Incoming, Inline } from "./incoming.ts";
import { Lifecycle } from "./lifecycle.ts";
import { LoopWatch } from "./loop-watch.ts";
import type { Observation } from "./observation.ts";
import type { DrainOptions } from "./options/drain-options.ts";
import type { ReceiverOptions } from "./options/receiver-options.ts";
import { readOptions, type Settings } from "./options/settings.ts";
import type { Outcome } from "./outcome.ts";
import { type Planning, planEntry } from "./plan.ts";
import { Deliveries } from "./receive.ts";
import type { Ran, Receiver, ReplacingHandlers } from "./receiver.ts";
import { Reports } from "./reports.ts";
import { Retention } from "./retention.ts";
import { SenderWatch } from "./sender-watch.ts";
import { newState, type ReceiverState } from "./state.ts";
import { readFailure } from "./store-health.ts";

/**
 * Makes a receiver. Nothing is opened or run before `start()`.
 *
 * @throws ConfigurationError `secret_missing`, `secret_empty`, `option_invalid`,
 * `retention_too_short`, `inbox_unsupported`
 *
 * @example
 * ```ts
 * import { createReceiver } from "hookporter";
 *
 * const receiver = createReceiver({ secret: process.env.HOOKPORTER_SECRET, inbox: "hookporter.db" });
 * receiver.on("payment.received", async (event, { signal }) => {
 *   await fetch("https://books.example/payments", { method: "POST", body: JSON.stringify(event.data), signal });
 * });
 * await receiver.start();
 * ```
 */
export function createReceiver<
  const Schemas extends DataSchemas = Record<never, never>,
  const OtherKinds extends string = never,
>(options: ReceiverOptions<Schemas, OtherKinds>): Receiver<NoInfer<Schemas>, NoInfer<OtherKinds>> {
  const calledFrom = {};
  Error.captureStackTrace?.(calledFrom, createReceiver);
  const given = options as unknown as ReceiverOptions;
  return new DurableReceiver<Schemas, OtherKinds>(given, calledFrom);
}

class DurableReceiver<Schemas, OtherKinds extends string> implements Receiver<Schemas, OtherKinds> {
  readonly inbox: InboxView;
  readonly #settings: Settings;
  readonly #state: ReceiverState;
  /** The kinds and schemas of the options, without handlers. */
  readonly #declared: HandlerSet;
  readonly #registration: Registration;
  readonly #dispatcher: Dispatcher;
  readonly #observers: Listeners<Observation>;
  readonly #drifts: DriftListeners;
  readonly #deliveries: Deliveries;
  readonly #lifecycle: Lifecycle;

  constructor(options: ReceiverOptions, calledFrom: object) {
    const settings = readOptions(options);
    this.#settings = settings;
    this.#declared = declaredHandlers(options);
    const state = newState(options.inbox, settings, this.#declared);
    this.#state = state;
    useHandlers(options.handlers ?? {}, this.#declared, settings, state);
    const { inbox } = state;
    const { log } = settings;
    this.inbox = viewOf({ store: inbox, commits: state.commits }, settings);
    this.#observers = new Listeners("observe", log);
    this.#drifts = new DriftListeners(settings);
    const reports = new Reports(settings, this.#observers);
    const deadLetters = new DeadLetters(settings);
    const senders = new SenderWatch(settings, inbox);
    const loopWatch = new LoopWatch(log, () => this.#dispatcher.inHandlers);
    this.#registration = new Registration(settings, state);
    const here = { id: this.#registration.id, startedAt: () => this.#lifecycle.startedAt };
    const missing = new MissingHandlers(settings, state, here);
    const planning: Planning = { settings, state, missing, drifts: this.#drifts };
    const { lease: leaseTime } = settings;
    this.#dispatcher = new Dispatcher({
      ...settings,
      inbox,
      runner: this.#registration.id,
      sources: [settings.source],
      leftKinds: (source) => missing.leftKinds(source),
      leaseTime,
      knownTargets: () => state.router.handlers.targets,
      deadBlocks: settings.deadLetterOrder === "block",
      plan: planEntry.bind(undefined, planning),
      onAttempts: (...ran) => {
        loopWatch.ran(...ran);
        reports.run(...ran);
      },
      onDead: (letter) => deadLetters.report(letter, state.router.handlers),
    });
    this.#lifecycle = new Lifecycle(settings, state, {
      registration: this.#registration,
      dispatcher: this.#dispatcher,
      settled: (ms) => this.#deliveries.settled(ms),
      retention: new Retention(settings, inbox),
      senders,
      loopWatch,
      calledFrom,
    });
    this.#deliveries = new Deliveries({
      settings,
      state,
      dispatcher: this.#dispatcher,
      senders,
      reports,
      lifecycle: this.#lifecycle,
      onDead: (letter) => {
        // An event that does not fit its schema never runs, so it is compared here.
        const read = isUnfit(letter.reason) ? readEnvelopeAgain(letter.delivery.body) : undefined;
        if (read?.ok === true) this.#drifts.compare(letter, read.envelope);
        deadLetters.report(letter, state.router.handlers);
      },
    });
  }

  on(
    pattern: string | readonly string[],
    handler: AnyHandler,
    options?: HandlerOptions,
  ): () => void {
    return this.#changed(this.#state.router.on(pattern, handler, options));
  }

  onUnknown(handler: AnyHandler, options?: HandlerOptions): () => void {
    return this.#changed(this.#state.router.onUnknown(handler, options));
  }

  onDead(listener: (letter: DeadLetter) => unknown): () => void {
    return this.#state.router.onDead(listener);
  }

  replaceHandlers(handlers: ReplacingHandlers<Schemas, OtherKinds>): void {
    useHandlers(handlers as HandlersOption, this.#declared, this.#settings, this.#state);
    this.#handlersChanged();
  }

  #changed(remove: () => void): () => void {
    this.#handlersChanged();
    return () => {
      remove();
      this.#handlersChanged();
    };
  }

  #handlersChanged(): void {
    this.#registration.announce(
      () => this.#lifecycle.isStarted,
      () => this.#dispatcher.wake(),
    );
  }

  start(): Promise<void> {
    return this.#lifecycle.start();
  }

  close(): Promise<void> {
    return this.#lifecycle.close();
  }

  drain(options: DrainOptions): Promise<DrainReport> {
    return this.#lifecycle.drain(options);
  }

  get ready(): boolean {
    return this.refusing === undefined;
  }

  get refusing(): ReceiverErrorCode | undefined {
    const { code } = this.#lifecycle.refusal() ?? {};
    return (code as ReceiverErrorCode | undefined) ?? this.#state.store.failure;
  }

  async checkReady(): Promise<ReceiverErrorCode | undefined> {
    const failure = this.ready ? await readFailure(this.#state.inbox) : undefined;
    return this.refusing ?? failure;
  }

  observe(listener: (observation: Observation) => unknown): () => void {
    checkFunction(listener, "the listener of observe", "pass (observation) => …");
    return this.#observers.add(listener);
  }

  onDrift(listener: (drift: Drift) => unknown): () => void {
    checkFunction(listener, "the listener of onDrift", "pass (drift) => …");
    return this.#drifts.add(listener);
  }

  async runNow(seq: number): Promise<Ran | undefined> {
    const settlement = await this.#dispatcher.runNow(seq);
    if (settlement === undefined) return undefined;
    const { state, reason, records } = settlement;
    return { state, reason, records };
  }

  handlersFor(kind: string): readonly string[] {
    return this.#state.router.handlers.match(kind).map(({ name }) => name);
  }

  recheck(seq: number): Promise<readonly DataProblem[]> {
    const { inbox, router } = this.#state;
    return recheckEntry(seq, inbox, router.handlers.schemas, this.#settings.bodyTimeout);
  }

  accept(delivery: Delivery): Promise<Outcome> {
    return this.#deliveries.accept(delivery);
  }

  acceptFrom(channel: Channel, body: Uint8Array): Promise<Outcome> {
    return this.#deliveries.acceptFrom(channel, body);
  }

  receive(incoming: Incoming, inline?: Inline): Promise<Answer> {
    return this.#deliveries.receive(incoming, inline);
  }
}
