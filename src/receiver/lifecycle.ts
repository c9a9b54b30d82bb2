import { callPlace } from "../base/call-place.ts";
import { describeError, HookporterError } from "../base/errors.ts";
import { PendingWork } from "../base/pending-work.ts";
import { withTimeout } from "../base/with-timeout.ts";
import type { Dispatcher } from "../dispatch/dispatcher.ts";
import type { DrainReport } from "../dispatch/drain.ts";
import { CLOSE_GRACE } from "../http/closing.ts";
import type { LocalReceiver } from "../inbox/runner.ts";
import { inboxUse } from "../inbox/shared/inbox-use.ts";
import type { Registration } from "./handlers/registration.ts";
import type { LoopWatch } from "./loop-watch.ts";
import { checkDrain, type DrainOptions } from "./options/drain-options.ts";
import type { Settings } from "./options/settings.ts";
import type { Retention } from "./retention.ts";
import type { SenderWatch } from "./sender-watch.ts";
import type { ReceiverState } from "./state.ts";

/** `closed` also while it closes. */
type Phase = "new" | "starting" | "started" | "closed";

/** What a receiver starts and stops. */
interface Parts {
  readonly registration: Registration;
  readonly dispatcher: Dispatcher;
  /** Resolves once the deliveries that are under way are answered, or after this time. */
  readonly settled: (ms: number) => Promise<void>;
  readonly retention: Retention;
  readonly senders: SenderWatch;
  readonly loopWatch: LoopWatch;
  /** Has the stack of the call that created the receiver. */
  readonly calledFrom: object;
}

/** Opens a receiver's inbox and starts its work, once, and ends both. */
export class Lifecycle {
  readonly #settings: Settings;
  readonly #state: ReceiverState;
  readonly #parts: Parts;
  #phase: Phase = "new";
  #startedAt = 0;
  /** By the receiver once it is started, and by each drain. */
  readonly #use = inboxUse(
    () => this.#open(),
    () => this.#close(),
  );
  #opening: Promise<() => Promise<void>> | undefined;
  #closing: Promise<void> | undefined;
  #stopWatching: (() => void) | undefined;
  readonly #drains = new PendingWork();

  constructor(settings: Settings, state: ReceiverState, parts: Parts) {
    this.#settings = settings;
    this.#state = state;
    this.#parts = parts;
  }

  get isStarted(): boolean {
    return this.#phase === "started";
  }

  /** When the inbox was opened, in milliseconds since 1970. */
  get startedAt(): number {
    return this.#startedAt;
  }

  /**
   * Why no delivery is accepted; `undefined` if they are. A failed commit refuses nothing: the next
   * one may succeed.
   *
   * @param wasOpen - for a delivery that arrived while the receiver was open: it is still accepted
   */
  refusal(wasOpen = false): HookporterError | undefined {
    if (this.#phase === "started" || (wasOpen && this.#phase === "closed"))
      return this.#state.inbox.damage;
    if (this.#phase === "closed") return closed("an open receiver", "a closed one");
    return closed("a started receiver", "one that was not started", "call start() first");
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
    const { dispatcher, retention, senders, loopWatch, registration } = this.#parts;
    dispatcher.start();
    retention.start();
    senders.start();
    loopWatch.start();
    // To write its record again is a commit that changes nothing.
    this.#stopWatching = this.#state.store.watch(() => registration.register());
  }

  async #open(): Promise<void> {
    const { clock, log, walLimit, concurrency, role } = this.#settings;
    const { inbox, router, commits } = this.#state;
    const { dispatcher, registration } = this.#parts;
    await inbox.open({
      log,
      walLimit,
      onDue: () => dispatcher.wake(),
      onCommit: commits.notify.bind(commits),
      receiver: this.#asLocal(),
    });
    const places = inbox.insideLimit ?? concurrency;
    const runsTransactions = role !== "receive" && router.handlers.hasTransactions;
    if (runsTransactions && places < concurrency)
      log.info(
        { places, concurrency },
        "fewer handlers with tx than others run at a time: each holds a connection of the inbox",
      );
    const startedAt = clock();
    await registration.register(startedAt);
    this.#startedAt = startedAt;
  }

  /** This receiver, as the others of its process meet it. */
  #asLocal(): LocalReceiver {
    const { source, role, log } = this.#settings;
    const isLive = () => this.#phase !== "closed";
    const failed = () => {}; // reported by start()
    const close = () => this.close().catch(report);
    const report = (thrown: unknown) =>
      log.warn({ error: describeError(thrown) }, "a receiver that was replaced could not close");
    return {
      source,
      runs: role !== "receive",
      place: callPlace(this.#parts.calledFrom),
      get isLive() {
        return isLive();
      },
      // One that only drains ends by itself.
      replace: () => void this.#opening?.then(close, failed),
    };
  }

  async #close(): Promise<void> {
    await this.#parts.registration.end();
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
    const { dispatcher, settled, retention, senders, loopWatch } = this.#parts;
    this.#stopWatching?.();
    loopWatch.stop();
    const { drainTimeout } = this.#settings;
    const since = performance.now();
    dispatcher.stopClaiming();
    await settled(Math.min(CLOSE_GRACE, drainTimeout));
    const left = Math.max(0, drainTimeout - (performance.now() - since));
    await retention.stop();
    await dispatcher.stop(left);
    await senders.stop();
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
    if (this.#phase === "closed") throw this.refusal();
    const release = await this.#use();
    try {
      return await this.#parts.dispatcher.drain(options.budget, since);
    } finally {
      await release();
    }
  }
}

/** The error for a receiver that is used too early or too late. */
function closed(expected: string, got: string, fix = "create a new receiver"): HookporterError {
  return new HookporterError("closed", `expected ${expected}, got ${got}: ${fix}`);
}
