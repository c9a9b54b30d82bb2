import type { Listeners } from "../base/listeners.ts";
import { withTimeout } from "../base/with-timeout.ts";
import type { Dispatcher } from "../dispatch/dispatcher.ts";
import type { EntryLetter } from "../dispatch/handler.ts";
import type { Reservation } from "../dispatch/reservation.ts";
import type { Delivery } from "../event/delivery.ts";
import type { Answer } from "../http/answer.ts";
import { accept, authenticate } from "./accept.ts";
import { admit, keptHeaders } from "./admit.ts";
import { type Channel, channelDelivery } from "./channel.ts";
import { letterOf } from "./dead-letter.ts";
import type { HandlerSet } from "./handler-set.ts";
import type { Incoming, Inline } from "./incoming.ts";
import type { Observation } from "./observation.ts";
import { type Answered, deliveryObservation } from "./observed.ts";
import type { Settings } from "./options/settings.ts";
import {
  type Misconfigured,
  misconfigured,
  type Outcome,
  type Proof,
  refused,
  type Unauthorized,
} from "./outcome.ts";
import type { OutcomeLog } from "./outcome-log.ts";
import { toAnswer } from "./response.ts";
import type { SenderWatch } from "./sender-watch.ts";
import type { SignedRefusals } from "./signed-refusals.ts";

interface Receiving {
  /** Has the settings of now: a module of handlers may replace some. */
  readonly handlerSet: Pick<HandlerSet, "settings">;
  readonly dispatcher: Pick<Dispatcher, "reserve" | "wake">;
  readonly observers: Listeners<Observation>;
  readonly signedRefusals: SignedRefusals;
  readonly senders: SenderWatch;
  readonly outcomes: OutcomeLog;
  /**
   * Why nothing is accepted; for a request that came while the receiver was open, a close is no
   * reason.
   */
  readonly refusal: (wasOpen: boolean) => Error | undefined;
  readonly onDead: (letter: EntryLetter) => void;
}

type Prove = (delivery: Delivery, settings: Settings) => Proof | Unauthorized | Misconfigured;

/**
 * Takes deliveries, from whichever side they come: reserves room to run them, accepts them, and
 * reports the outcome.
 */
export class Intake {
  readonly #receiving: Receiving;
  readonly #reading = new Count();
  readonly #accepting = new Count();
  /** Whether requests that came before the close have had their time. */
  #isOver = false;

  constructor(receiving: Receiving) {
    this.#receiving = receiving;
  }

  /**
   * Waits for the requests in progress, for `grace` milliseconds at most, then for what is being
   * accepted.
   */
  async settled(grace: number): Promise<void> {
    await withTimeout(this.#reading.none(), grace, () => undefined);
    this.#isOver = true;
    await this.#accepting.none();
  }

  async accept(delivery: Delivery): Promise<Outcome> {
    const start = performance.now();
    const outcome = await this.#take(delivery, authenticate);
    this.#receiving.outcomes.delivery(outcome, start);
    return outcome;
  }

  async acceptFrom(channel: Channel, body: Uint8Array): Promise<Outcome> {
    const { clock, bodyLimit } = this.#receiving.handlerSet.settings;
    const start = performance.now();
    try {
      const delivery = channelDelivery(channel, body, clock());
      const isTooLarge = body.byteLength > bodyLimit;
      // Nothing in an HTTP request can lead to this proof: no adapter calls this method.
      const prove = () => ({ channel: channel.name });
      const outcome = isTooLarge ? refused("too_large") : await this.#take(delivery, prove);
      this.#receiving.outcomes.delivery(outcome, start);
      this.#report({ head: delivery, outcome, start, delivery });
      return outcome;
    } catch (thrown) {
      return misconfigured(thrown, this.#receiving.handlerSet.settings);
    }
  }

  async receive(incoming: Incoming, inline?: Inline): Promise<Answer> {
    let wasOpen = false;
    try {
      wasOpen = this.#receiving.refusal(false) === undefined;
      if (wasOpen) this.#reading.pending++;
      const receivedAt = this.#receiving.handlerSet.settings.clock();
      const start = performance.now();
      const read = await admit(incoming, receivedAt, this.#receiving.handlerSet.settings);
      const delivery = "body" in read ? read : undefined;
      const outcome =
        "body" in read
          ? await this.#take(read, authenticate, inline?.hold, wasOpen)
          : this.#asReady(read);
      this.#note(incoming, { outcome, delivery, receivedAt, start });
      const own =
        outcome.type === "accepted" && inline !== undefined
          ? await inline.answer(outcome)
          : undefined;
      return own ?? toAnswer(outcome);
    } catch (thrown) {
      return toAnswer(misconfigured(thrown, this.#receiving.handlerSet.settings));
    } finally {
      if (wasOpen) this.#reading.end();
    }
  }

  /** What is not ready says nothing of signatures. */
  #asReady(outcome: Outcome): Outcome {
    const error = outcome.type === "unauthorized" ? this.#receiving.refusal(false) : undefined;
    return error === undefined ? outcome : { type: "unavailable", error };
  }

  #note(
    incoming: Incoming,
    { outcome, delivery, receivedAt, start }: Omit<Answered, "head"> & Pick<Delivery, "receivedAt">,
  ): void {
    const { observers, signedRefusals, outcomes } = this.#receiving;
    if (outcome.type === "refused") signedRefusals.note(incoming, outcome, receivedAt);
    if (incoming.passedOn === true && !signedRefusals.isSigned(incoming)) return;
    outcomes.delivery(outcome, start);
    if (observers.isEmpty) return;
    const { method, target, remoteAddress } = incoming;
    const headers = delivery?.headers ?? keptHeaders(incoming.headers);
    const head = { method, target, headers, receivedAt };
    this.#report({ head, outcome, start, delivery, remoteAddress });
  }

  /** Takes a delivery that was read completely: all adapters and channels lead here. */
  #take(delivery: Delivery, prove: Prove, holdMs?: number, wasOpen = false): Promise<Outcome> {
    const { tracing, source } = this.#receiving.handlerSet.settings;
    const trace = tracing?.delivery(delivery, source);
    if (trace === undefined) return this.#accept(delivery, prove, holdMs, wasOpen);
    return trace
      .run(() => this.#accept(trace.delivery, prove, holdMs, wasOpen))
      .then((outcome) => {
        trace.end(outcome);
        return outcome;
      });
  }

  async #accept(
    delivery: Delivery,
    prove: Prove,
    holdMs: number | undefined,
    wasOpen: boolean,
  ): Promise<Outcome> {
    const { dispatcher, senders, refusal, onDead } = this.#receiving;
    const error = refusal(wasOpen && !this.#isOver);
    if (error !== undefined) return { type: "unavailable", error };
    const settings = this.#receiving.handlerSet.settings;
    let reservation: Reservation | undefined;
    let outcome: Outcome;
    this.#accepting.pending++;
    try {
      const proof = prove(delivery, settings);
      if ("type" in proof) {
        outcome = proof;
        senders.refused(delivery, proof);
      } else {
        reservation = dispatcher.reserve();
        outcome = await accept(delivery, proof, settings, { holdMs, reservation });
        if (proof.secret !== undefined) senders.tally.authentic(delivery.receivedAt, outcome);
      }
      if (outcome.type === "misconfigured") misconfigured(outcome.error, settings);
    } catch (thrown) {
      outcome = misconfigured(thrown, settings);
    } finally {
      this.#accepting.end();
    }
    const runsAlready = reservation?.release() === true;
    if (!runsAlready && outcome.type === "accepted" && outcome.entryState === "waiting")
      dispatcher.wake();
    const isPending = outcome.type === "accepted" && outcome.reason === undefined;
    const letter = isPending ? undefined : letterOf(outcome);
    if (letter !== undefined) onDead({ ...letter, delivery });
    return outcome;
  }

  #report(answered: Answered): void {
    const { observation, forget } = deliveryObservation(
      answered,
      this.#receiving.handlerSet.settings,
    );
    this.#receiving.observers.notify(observation);
    // After the immediates that listeners started, which run once the sender has its answer.
    if (forget !== undefined) setImmediate(forget);
  }
}

/** How much of something is under way, without a promise for each. */
class Count {
  pending = 0;
  readonly #waiting: (() => void)[] = [];

  end(): void {
    if (--this.pending === 0) for (const resolve of this.#waiting.splice(0)) resolve();
  }

  async none(): Promise<void> {
    if (this.pending > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}
