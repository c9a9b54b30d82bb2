import { detach } from "../base/detach.ts";
import { describeError, type ReceiverErrorCode } from "../base/errors.ts";
import { Listeners } from "../base/listeners.ts";
import { PendingWork } from "../base/pending-work.ts";
import { reportTo } from "../base/user-calls.ts";
import { withTimeout } from "../base/with-timeout.ts";
import { Dispatcher } from "../dispatch/dispatcher.ts";
import type { DrainReport } from "../dispatch/drain.ts";
import type { AnyHandler, DeadLetter } from "../dispatch/plan/handler.ts";
import type { DataProblem } from "../event/data-problems.ts";
import type { Delivery } from "../event/delivery.ts";
import { readEnvelopeAgain } from "../event/read-envelope.ts";
import type { DataSchemas } from "../event/schemas.ts";
import type { Answer } from "../http/answer.ts";
import { CLOSE_GRACE } from "../http/closing.ts";
import { isUnfit } from "../inbox/new-entry.ts";
import { inboxUse } from "../inbox/shared/inbox-use.ts";
import { checkFunction } from "../options/check-options.ts";
import type { Channel } from "./channel.ts";
import { DeadLetters } from "./dead-letter.ts";
import { recheckEntry } from "./decides-in-time.ts";
import type { Drift } from "./drift.ts";
import { DriftListeners } from "./drift-listeners.ts";
import { checkTransactions } from "./handlers/check-transactions.ts";
import { declaredHandlers, withDeclared } from "./handlers/declared-handlers.ts";
import {
  type HandlersModule,
  type HandlersOption,
  isHandlersModule,
} from "./handlers/define-handlers.ts";
import type { HandlerOptions } from "./handlers/handler-options.ts";
import type { HandlerSet } from "./handlers/handler-set.ts";
import { MissingHandlers } from "./handlers/missing-handlers.ts";
import { registerHandlers } from "./handlers/register-handlers.ts";
import { Registration } from "./handlers/registration.ts";
import { Router } from "./handlers/router.ts";
import { type InboxView, viewOf } from "./inbox-view.ts";
import type { Incoming, Inline } from "./incoming.ts";
import { LoopWatch } from "./loop-watch.ts";
import { closed, notReady, type Phase } from "./not-ready.ts";
import type { Observation } from "./observation.ts";
import { checkDrain, type DrainOptions } from "./options/drain-options.ts";
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
  return new DurableReceiver<Schemas, OtherKinds>(options as unknown as ReceiverOptions);
}

class DurableReceiver<Schemas, OtherKinds extends string> implements Receiver<Schemas, OtherKinds> {
  readonly inbox: InboxView;
  readonly #settings: Settings;
  readonly #state: ReceiverState;
  /** The kinds and schemas of the options, without handlers. */
  readonly #declared: HandlerSet;
  readonly #registration: Registration;
  readonly #dispatcher: Dispatcher;
  readonly #retention: Retention;
  readonly #senders: SenderWatch;
  readonly #loopWatch: LoopWatch;
  readonly #observers: Listeners<Observation>;
  readonly #drifts: DriftListeners;
  readonly #deliveries: Deliveries;
  #phase: Phase = "new";
  #closing: Promise<void> | undefined;
  #startedAt = 0;
  readonly #use = inboxUse(
    () => this.#open(),
    () => this.#close(),
  );
  #opening: Promise<() => Promise<void>> | undefined;
  #stopWatching: (() => void) | undefined;
  readonly #drains = new PendingWork();

  constructor(options: ReceiverOptions) {
    const settings = readOptions(options);
    this.#settings = settings;
    this.#declared = declaredHandlers(options);
    const state = newState(options.inbox, settings, this.#declared);
    this.#state = state;
    this.#useHandlers(options.handlers ?? {});
    const { inbox } = state;
    const { log } = settings;
    this.inbox = viewOf(inbox, settings);
    this.#observers = new Listeners("observe", log);
    this.#drifts = new DriftListeners(settings);
    const reports = new Reports(settings, this.#observers);
    const deadLetters = new DeadLetters(settings);
    this.#retention = new Retention(settings, inbox);
    this.#senders = new SenderWatch(settings, inbox);
    this.#loopWatch = new LoopWatch(log, () => this.#dispatcher.inHandlers);
    this.#registration = new Registration(settings, state);
    const here = { id: this.#registration.id, startedAt: () => this.#startedAt };
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
        this.#loopWatch.ran(...ran);
        reports.run(...ran);
      },
      onDead: (letter) => deadLetters.report(letter, state.router.handlers),
    });
    this.#deliveries = new Deliveries({
      settings,
      state,
      dispatcher: this.#dispatcher,
      senders: this.#senders,
      reports,
      // A failed commit refuses nothing: the next one may succeed.
      refusal: (wasOpen) => {
        const { damage } = inbox;
        const isOpen = this.#phase === "started" || (wasOpen && this.#phase === "closed");
        return isOpen ? damage : notReady(this.#phase, damage);
      },
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
    this.#useHandlers(handlers as HandlersOption);
    this.#handlersChanged();
  }

  /** A module brings kinds and schemas; other handlers are for those of now. */
  #useHandlers(handlers: HandlersModule | HandlersOption): void {
    const { role, log } = this.#settings;
    const { inbox, router: before } = this.#state;
    const isModule = isHandlersModule(handlers);
    const declared = isModule
      ? withDeclared(this.#declared, handlers)
      : before.handlers.with({ routes: [], deadListeners: [] });
    const router = new Router(declared, (pattern) => {
      if (role !== "receive") checkTransactions(inbox, pattern); // else another process runs it
    });
    const registered = registerHandlers(isModule ? handlers.handlers : handlers, router);
    // what it registers later counts too
    detach(registered.returned, reportTo(log, "handlers"));
    this.#state.router = router;
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
      () => this.#phase === "started",
      () => this.#dispatcher.wake(),
    );
  }

  async start(): Promise<void> {
    if (this.#phase !== "new") throw closed("start() to be called once", "another call");
    this.#phase = "starting";
    try {
      this.#opening = this.#use();
      await this.#opening;
    } catch (error) {
      if (this.#phase === "starting") this.#phase = "new";
      throw error;
    }
    if (!this.#began()) {
      await (await this.#opening)();
      throw closed("the receiver to stay open while it starts", "close()");
    }
    this.#dispatcher.start();
    this.#retention.start();
    this.#senders.start();
    this.#loopWatch.start();
    this.#stopWatching = this.#state.store.watch(() => this.#registration.register());
  }

  async #open(): Promise<void> {
    const { clock, log, walLimit, concurrency, role } = this.#settings;
    const { inbox, router } = this.#state;
    await inbox.open({ log, walLimit });
    const places = inbox.insideLimit ?? concurrency;
    const runsTransactions = role !== "receive" && router.handlers.hasTransactions;
    if (runsTransactions && places < concurrency)
      log.info(
        { places, concurrency },
        "fewer handlers with tx than others run at a time: each holds a connection of the inbox",
      );
    await this.#registration.register();
    this.#startedAt = clock();
  }

  async #close(): Promise<void> {
    await this.#registration.end();
    await this.#state.inbox.close();
  }

  /** Whether the inbox, now open, is still wanted. */
  #began(): boolean {
    if (this.#phase === "starting") this.#phase = "started";
    return this.#phase === "started";
  }

  close(): Promise<void> {
    this.#phase = "closed";
    this.#closing ??= this.#shutDown();
    return this.#closing;
  }

  async #shutDown(): Promise<void> {
    this.#stopWatching?.();
    this.#loopWatch.stop();
    const { drainTimeout } = this.#settings;
    const since = performance.now();
    this.#dispatcher.stopClaiming();
    await this.#deliveries.settled(Math.min(CLOSE_GRACE, drainTimeout));
    const left = Math.max(0, drainTimeout - (performance.now() - since));
    await this.#retention.stop();
    await this.#dispatcher.stop(left);
    await this.#senders.stop();
    const opened = this.#opening?.catch(() => undefined); // reported by start()
    // A database that does not answer must not hold it up: start() closes the inbox then.
    const release = opened && (await withTimeout(opened, left, () => undefined));
    await release?.();
    await this.#drains.settled();
  }

  async drain(options: DrainOptions): Promise<DrainReport> {
    try {
      return await this.#drains.follow(this.#drain(options));
    } catch (thrown) {
      // Callers such as `waitUntil` would not log it.
      this.#settings.log.error({ error: describeError(thrown) }, "a drain failed");
      throw thrown;
    }
  }

  async #drain(options: DrainOptions): Promise<DrainReport> {
    const since = performance.now();
    checkDrain(options);
    if (this.#phase === "closed") throw closed("an open receiver", "a closed one");
    const release = await this.#use();
    try {
      return await this.#dispatcher.drain(options.budget, since);
    } finally {
      await release();
    }
  }

  get ready(): boolean {
    return this.refusing === undefined;
  }

  get refusing(): ReceiverErrorCode | undefined {
    const { inbox, store } = this.#state;
    return (
      (notReady(this.#phase, inbox.damage)?.code as ReceiverErrorCode | undefined) ?? store.failure
    );
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
