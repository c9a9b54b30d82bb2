/**
 * A request comes in with its body unread, or bytes from a channel. An answer goes out, once the
 * event is committed to the inbox or refused with a reason. Nothing is parsed or kept before its
 * signature is verified.
 */

import { asError, ConfigurationError } from "../base/errors.ts";
import { withTimeout } from "../base/with-timeout.ts";
import type { Dispatcher } from "../dispatch/dispatcher.ts";
import type { EntryLetter } from "../dispatch/plan/handler.ts";
import type { Reservation } from "../dispatch/reservation.ts";
import type { Delivery } from "../event/delivery.ts";
import type { Answer } from "../http/answer.ts";
import { newEntry, rejectedEntry } from "../inbox/new-entry.ts";
import { type Authentic, admit, authenticate } from "./admit.ts";
import { type Channel, channelDelivery } from "./channel.ts";
import { letterOf } from "./dead-letter.ts";
import type { Incoming, Inline } from "./incoming.ts";
import { type JudgedEvent, type JudgedRejection, readAndJudge, tooOld } from "./judge.ts";
import type { Lifecycle } from "./lifecycle.ts";
import type { Settings } from "./options/settings.ts";
import { misconfigured, type Outcome, refused } from "./outcome.ts";
import type { Reports } from "./reports.ts";
import { toAnswer } from "./response.ts";
import type { SenderWatch } from "./sender-watch.ts";
import type { ReceiverState } from "./state.ts";

/** What deliveries pass, and what is told of them. */
interface Parts {
  readonly settings: Settings;
  readonly state: ReceiverState;
  readonly dispatcher: Pick<Dispatcher, "reserve" | "wake">;
  readonly senders: SenderWatch;
  readonly reports: Reports;
  readonly lifecycle: Pick<Lifecycle, "refusal">;
  readonly onDead: (letter: EntryLetter) => void;
}

/** What a sender or its adapter asks for, beside the delivery. */
interface TakeTerms {
  /** Milliseconds until a new entry is due. Default 0. */
  readonly holdMs?: number | undefined;
  /** Whether the request came while the receiver was open. Default false. */
  readonly wasOpen?: boolean;
}

/**
 * Takes deliveries, whichever way they come in, and never throws. The steps are the same for all:
 * `authenticate`, `readAndJudge`, `storeEvent` or `storeRejected`, `toAnswer`.
 */
export class Deliveries {
  readonly #parts: Parts;
  /** Requests whose body or answer is under way. */
  readonly #reading = new PendingCount();
  /** Deliveries that are being stored. */
  readonly #storing = new PendingCount();
  /** Whether requests that came before the close have had their time. */
  #isOver = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Waits for the requests in progress, for `grace` milliseconds at most, then for what is being
   * stored.
   */
  async settled(grace: number): Promise<void> {
    await withTimeout(this.#reading.none(), grace, () => undefined);
    this.#isOver = true;
    await this.#storing.none();
  }

  /** A request of any adapter, in; its answer, out. */
  async receive(incoming: Incoming, inline?: Inline): Promise<Answer> {
    const { settings, state, senders, lifecycle, reports } = this.#parts;
    let wasOpen = false;
    try {
      wasOpen = lifecycle.refusal(false) === undefined;
      if (wasOpen) this.#reading.pending++;
      const receivedAt = settings.clock();
      const start = performance.now();
      const admitted = await admit(incoming, receivedAt, settings, state.budget);
      const delivery = admitted.type === "delivery" ? admitted.delivery : undefined;
      const outcome =
        admitted.type === "delivery"
          ? await this.#take(admitted.delivery, authenticate, { holdMs: inline?.hold, wasOpen })
          : this.#asReady(admitted);
      if (outcome.type === "unauthorized") senders.unsigned(incoming, outcome.reason, receivedAt);
      reports.request(incoming, { outcome, delivery, receivedAt, start });
      const isInline = outcome.type === "accepted" && inline !== undefined;
      const own = isInline ? await inline.answer(outcome) : undefined;
      return own ?? toAnswer(outcome);
    } catch (thrown) {
      return toAnswer(misconfigured(thrown, settings));
    } finally {
      if (wasOpen) this.#reading.end();
    }
  }

  /** A delivery that something else has read, such as a test. */
  async accept(delivery: Delivery): Promise<Outcome> {
    const start = performance.now();
    const outcome = await this.#take(delivery, authenticate);
    this.#parts.reports.delivery(outcome, start);
    return outcome;
  }

  /** A message of a connection that this side has opened and authenticated. */
  async acceptFrom(channel: Channel, body: Uint8Array): Promise<Outcome> {
    const { settings, reports } = this.#parts;
    const start = performance.now();
    try {
      const delivery = channelDelivery(channel, body, settings.clock());
      // Nothing in an HTTP request can lead to this proof: no adapter calls this method.
      const prove = (): Authentic => ({ type: "authentic", channel: channel.name });
      const isTooLarge = body.byteLength > settings.bodyLimit;
      const outcome = isTooLarge ? refused("too_large") : await this.#take(delivery, prove);
      reports.channel(delivery, outcome, start);
      return outcome;
    } catch (thrown) {
      return misconfigured(thrown, settings);
    }
  }

  /** What is not ready says nothing of signatures. */
  #asReady(outcome: Outcome): Outcome {
    const error =
      outcome.type === "unauthorized" ? this.#parts.lifecycle.refusal(false) : undefined;
    return error === undefined ? outcome : { type: "unavailable", error };
  }

  /** Takes a delivery that was read completely: all ways in lead here. */
  #take(delivery: Delivery, prove: typeof authenticate, terms: TakeTerms = {}): Promise<Outcome> {
    const { tracing, source } = this.#parts.settings;
    const trace = tracing?.delivery(delivery, source);
    if (trace === undefined) return this.#process(delivery, prove, terms);
    return trace
      .run(() => this.#process(trace.delivery, prove, terms))
      .then((outcome) => {
        trace.end(outcome);
        return outcome;
      });
  }

  async #process(
    delivery: Delivery,
    prove: typeof authenticate,
    { holdMs, wasOpen = false }: TakeTerms,
  ): Promise<Outcome> {
    const { settings, state, dispatcher, senders, lifecycle, onDead } = this.#parts;
    const error = lifecycle.refusal(wasOpen && !this.#isOver);
    if (error !== undefined) return { type: "unavailable", error };
    let reservation: Reservation | undefined;
    let outcome: Outcome;
    this.#storing.pending++;
    try {
      const proof = prove(delivery, settings);
      if (proof.type === "authentic") {
        reservation = dispatcher.reserve();
        outcome = await keep(delivery, proof, { settings, state, holdMs, reservation });
        if (proof.secret !== undefined) senders.tally.authentic(delivery.receivedAt, outcome);
      } else {
        outcome = proof;
        senders.refused(delivery, proof);
      }
      if (outcome.type === "misconfigured") misconfigured(outcome.error, settings);
    } catch (thrown) {
      outcome = misconfigured(thrown, settings);
    } finally {
      this.#storing.end();
    }
    const runsAlready = reservation?.release() === true;
    if (!runsAlready && outcome.type === "accepted" && outcome.entryState === "waiting")
      dispatcher.wake();
    if (outcome.type === "accepted" && outcome.reason === undefined) return outcome;
    const letter = letterOf(outcome);
    if (letter !== undefined) onDead({ ...letter, delivery });
    return outcome;
  }
}

interface Keeping extends Pick<TakeTerms, "holdMs"> {
  readonly settings: Settings;
  readonly state: ReceiverState;
  readonly reservation?: Pick<Reservation, "lease" | "run"> | undefined;
}

/** Reads an authentic delivery, decides what it is to become, and stores that. Never throws. */
export async function keep(
  delivery: Delivery,
  proof: Authentic,
  keeping: Keeping,
): Promise<Outcome> {
  const { settings, state } = keeping;
  try {
    const judged = await readAndJudge(delivery.body, settings, state);
    switch (judged.type) {
      case "event":
        return await storeEvent(delivery, judged, proof, keeping);
      case "rejected":
        return await storeRejected(delivery, judged, proof, keeping);
      default:
        return judged;
    }
  } catch (error) {
    if (error instanceof ConfigurationError) return { type: "misconfigured", error };
    state.store.failed(error);
    return { type: "unavailable", error: asError(error) };
  }
}

/** One commit that also finds duplicates. */
async function storeEvent(
  delivery: Delivery,
  { read, judgement, unlessKnown }: JudgedEvent,
  proof: Authentic,
  keeping: Keeping,
): Promise<Outcome> {
  const { settings, state, holdMs, reservation } = keeping;
  const { key, order, ready, unfit, problems } = judgement;
  // A dead letter may hold an entry with an order key back: a claim finds out.
  const mayBeHeld = order !== null && settings.deadLetterOrder === "block";
  const lease = mayBeHeld ? undefined : reservation?.lease;
  const entry = newEntry(delivery, read, judgement, { holdMs, lease });
  const kept = await (unlessKnown === undefined
    ? state.inbox.append(entry)
    : state.inbox.touch(key, delivery.receivedAt));
  if (kept === undefined) {
    if (unlessKnown?.type === "unavailable") return unlessKnown;
    // Its key may have been pruned, even if a clock that was set back calls it timely: it could run
    // twice.
    return storeRejected(delivery, unlessKnown ?? { rejection: tooOld(), read }, proof, keeping);
  }
  if (state.store.failure !== undefined) state.store.recovered();
  const { seq, leased, duplicate, state: entryState } = kept;
  if (leased === true)
    reservation?.run({ seq, key, kind: entry.kind, orderKey: order, delivery }, ready);
  else if (!duplicate && entryState === "waiting") state.backlog?.added();
  // What is a duplicate, or what `identity` has told apart, is no restamp.
  const mayBeRestamp = !duplicate && settings.identity === undefined;
  const { envelope, content, timestamp } = read;
  return {
    type: "accepted",
    eventId: key.eventId,
    kind: envelope.event,
    seq,
    duplicate,
    entryState,
    reason: unfit,
    problems: problems.length === 0 ? undefined : problems,
    restampOf: mayBeRestamp ? state.restamps.note(content, key.eventId, timestamp) : undefined,
    secret: proof.secret,
    channel: proof.channel,
  };
}

/** What is no event, or not a timely one, is kept as a dead letter. */
async function storeRejected(
  delivery: Delivery,
  { rejection, read }: Omit<JudgedRejection, "type">,
  { secret, channel }: Authentic,
  { settings: { source, log, clock }, state: { inbox, store } }: Keeping,
): Promise<Outcome> {
  const entry = rejectedEntry(delivery, rejection, source, read);
  const kept = await inbox.append(entry);
  if (kept === undefined) {
    throw new TypeError(
      "expected the inbox's append to keep every dead letter, got undefined: return that for waiting entries only",
    );
  }
  if (store.failure !== undefined) store.recovered();
  if (rejection.reason === "future_timestamp" && read !== undefined) {
    const ahead = read.timestamp - clock();
    log.warn({ ahead }, "an event is dated in the future: is this machine's clock right?");
  }
  const { seq, duplicate } = kept;
  const { kind, key } = entry;
  return {
    type: "rejected",
    rejection,
    kind,
    seq,
    eventId: key.eventId,
    duplicate,
    secret,
    channel,
  };
}

/** How much of something is under way, without a promise for each. */
class PendingCount {
  /** Add to it when something begins. */
  pending = 0;
  readonly #waiting: (() => void)[] = [];

  end(): void {
    if (--this.pending === 0) for (const resolve of this.#waiting.splice(0)) resolve();
  }

  async none(): Promise<void> {
    if (this.pending > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}
