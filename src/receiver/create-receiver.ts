import { Listeners } from "../base/listeners.ts";
import { PendingWork } from "../base/pending-work.ts";
import { withTimeout } from "../base/with-timeout.ts";
import { Dispatcher } from "../dispatch/dispatcher.ts";
import type { DrainReport } from "../dispatch/drain.ts";
import type { AnyHandler, DeadLetter } from "../dispatch/handler.ts";
import { describeError, type ReceiverErrorCode } from "../errors.ts";
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
import { reportDead } from "./dead-letter.ts";
import { recheckEntry } from "./decides-in-time.ts";
import type { Drift } from "./drift.ts";
import { DriftListeners } from "./drift-listeners.ts";
import { HandlerSet } from "./handler-set.ts";
import type { HandlersModule, HandlersOption } from "./handlers/define-handlers.ts";
import type { HandlerOptions } from "./handlers/handler-options.ts";
import { MissingHandlers } from "./handlers/missing-handlers.ts";
import { Registration } from "./handlers/registration.ts";
import { type InboxView, viewOf } from "./inbox-view.ts";
import type { Incoming, Inline } from "./incoming.ts";
import { Intake } from "./intake.ts";
import { LoopWatch } from "./loop-watch.ts";
import { closed, notReady, type Phase } from "./not-ready.ts";
import type { Observation } from "./observation.ts";
import { attemptObservation } from "./observed.ts";
import { checkDrain, type DrainOptions } from "./options/drain-options.ts";
import type { ReceiverOptions } from "./options/receiver-options.ts";
import { readOptions, type Settings } from "./options/settings.ts";
import type { Outcome } from "./outcome.ts";
import { OutcomeLog } from "./outcome-log.ts";
import { planEntry } from "./plan.ts";
import type { Ran, Receiver, ReplacingHandlers } from "./receiver.ts";
import { Retention } from "./retention.ts";
import { SenderWatch } from "./sender-watch.ts";
import { SignedRefusals } from "./signed-refusals.ts";
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
  const settings = readOptions(options as unknown as ReceiverOptions);
  return new DurableReceiver<Schemas, OtherKinds>(settings, options.handlers as HandlersOption);
}

class DurableReceiver<Schemas, OtherKinds extends string> implements Receiver<Schemas, OtherKinds> {
  readonly inbox: InboxView;
  readonly #handlerSet: HandlerSet;
  readonly #registration: Registration;
  readonly #dispatcher: Dispatcher;
  readonly #retention: Retention;
  readonly #senders: SenderWatch;
  readonly #loopWatch: LoopWatch;
  readonly #observers: Listeners<Observation>;
  readonly #drifts: DriftListeners;
  readonly #intake: Intake;
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

  constructor(settings: Settings, handlers: HandlersModule | HandlersOption = {}) {
    const handlerSet = new HandlerSet(settings);
    this.#handlerSet = handlerSet;
    handlerSet.use(handlers);
    this.inbox = viewOf(settings.inbox, settings);
    this.#observers = new Listeners("observe", settings.log);
    this.#drifts = new DriftListeners(settings);
    const outcomes = new OutcomeLog(settings.log);
    this.#retention = new Retention(settings);
    this.#senders = new SenderWatch(settings);
    this.#loopWatch = new LoopWatch(settings.log, () => this.#dispatcher.inHandlers);
    this.#registration = new Registration(settings, () => handlerSet.router.patterns);
    const { id } = this.#registration;
    const here = { id, router: () => handlerSet.router, startedAt: () => this.#startedAt };
    const missing = new MissingHandlers(settings, here);
    const registered = { missing, drifts: this.#drifts };
    const { handlerTimeout, lease: leaseTime, poll } = settings;
    this.#dispatcher = new Dispatcher({
      ...settings,
      runner: id,
      sources: [settings.source],
      leftKinds: (source) => missing.leftKinds(source),
      handlerTimeout,
      leaseTime,
      poll,
      knownTargets: () => handlerSet.router.targets,
      deadBlocks: settings.deadLetterOrder === "block",
      plan: (entry, ready) => planEntry(entry, handlerSet, registered, ready),
      onAttempts: (...ran) => {
        this.#loopWatch.ran(...ran);
        outcomes.run(...ran, settings.clock());
        if (!this.#observers.isEmpty) this.#observers.notify(attemptObservation(...ran));
      },
      onDead: (letter) => reportDead(letter, handlerSet),
    });
    this.#intake = new Intake({
      handlerSet,
      dispatcher: this.#dispatcher,
      observers: this.#observers,
      signedRefusals: new SignedRefusals(settings),
      senders: this.#senders,
      outcomes,
      // A failed commit refuses nothing: the next one may succeed.
      refusal: (wasOpen) => {
        const { damage } = settings.inbox;
        const isOpen = this.#phase === "started" || (wasOpen && this.#phase === "closed");
        return isOpen ? damage : notReady(this.#phase, damage);
      },
      onDead: (letter) => {
        // An event that does not fit its schema never runs, so it is compared here.
        const read = isUnfit(letter.reason) ? readEnvelopeAgain(letter.delivery.body) : undefined;
        if (read?.ok === true) this.#drifts.compare(letter, read.envelope);
        reportDead(letter, handlerSet);
      },
    });
  }

  on(
    pattern: string | readonly string[],
    handler: AnyHandler,
    options?: HandlerOptions,
  ): () => void {
    return this.#changed(this.#handlerSet.router.on(pattern, handler, options));
  }

  onUnknown(handler: AnyHandler, options?: HandlerOptions): () => void {
    return this.#changed(this.#handlerSet.router.onUnknown(handler, options));
  }

  onDead(listener: (letter: DeadLetter) => unknown): () => void {
    return this.#handlerSet.router.onDead(listener);
  }

  replaceHandlers(handlers: ReplacingHandlers<Schemas, OtherKinds>): void {
    this.#handlerSet.use(handlers as HandlersOption);
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
    this.#stopWatching = this.#handlerSet.settings.store.watch(() => this.#registration.register());
  }

  async #open(): Promise<void> {
    const { inbox, clock, log, walLimit, concurrency } = this.#handlerSet.settings;
    await inbox.open({ log, walLimit });
    const places = inbox.insideLimit ?? concurrency;
    if (this.#handlerSet.hasTransactions && places < concurrency)
      log.info(
        { places, concurrency },
        "fewer handlers with tx than others run at a time: each holds a connection of the inbox",
      );
    await this.#registration.register();
    this.#startedAt = clock();
  }

  async #close(): Promise<void> {
    await this.#registration.end();
    await this.#handlerSet.settings.inbox.close();
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
    const { drainTimeout } = this.#handlerSet.settings;
    const since = performance.now();
    this.#dispatcher.stopClaiming();
    await this.#intake.settled(Math.min(CLOSE_GRACE, drainTimeout));
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
      this.#handlerSet.settings.log.error({ error: describeError(thrown) }, "a drain failed");
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
    const { inbox, store } = this.#handlerSet.settings;
    return (
      (notReady(this.#phase, inbox.damage)?.code as ReceiverErrorCode | undefined) ?? store.failure
    );
  }

  async checkReady(): Promise<ReceiverErrorCode | undefined> {
    const failure = this.ready ? await readFailure(this.#handlerSet.settings.inbox) : undefined;
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
    return this.#handlerSet.router.match(kind).map(({ name }) => name);
  }

  recheck(seq: number): Promise<readonly DataProblem[]> {
    return recheckEntry(seq, this.#handlerSet.settings);
  }

  accept(delivery: Delivery): Promise<Outcome> {
    return this.#intake.accept(delivery);
  }

  acceptFrom(channel: Channel, body: Uint8Array): Promise<Outcome> {
    return this.#intake.acceptFrom(channel, body);
  }

  receive(incoming: Incoming, inline?: Inline): Promise<Answer> {
    return this.#intake.receive(incoming, inline);
  }
}
