import { ListenerCalls } from "../base/listeners.ts";
import type { DeadLetter, EntryLetter } from "../dispatch/plan/handler.ts";
import { ownDelivery } from "../event/delivery.ts";
import type { WebhookEvent } from "../event/event.ts";
import { readEnvelopeAgain, toEvent } from "../event/read-envelope.ts";
import type { HandlerSet } from "./handlers/handler-set.ts";
import type { Settings } from "./options/settings.ts";
import type { Outcome } from "./outcome.ts";

/** The dead letter that a delivery has just become, if it has. */
export function letterOf(outcome: Outcome) {
  if ((outcome.type !== "accepted" && outcome.type !== "rejected") || outcome.duplicate)
    return undefined;
  const reason = outcome.type === "rejected" ? outcome.rejection.reason : outcome.reason;
  if (reason === undefined) return undefined;
  const { seq, eventId, kind } = outcome;
  const problems = outcome.type === "accepted" ? (outcome.problems ?? []) : [];
  return { seq, eventId, kind, reason, problems, error: null };
}

/** A dead letter as listeners get it: with its event, if its delivery is one. */
export function withEvent(letter: EntryLetter, source: string): DeadLetter {
  return { ...letter, event: eventOf(letter, source) };
}

/** Tells listeners of dead letters, whichever handlers they came with. */
export class DeadLetters {
  readonly #source: string;
  readonly #calls: ListenerCalls<DeadLetter>;

  constructor({ source, log }: Pick<Settings, "source" | "log">) {
    this.#source = source;
    this.#calls = new ListenerCalls("onDead", log);
  }

  report(letter: EntryLetter, { deadListeners }: Pick<HandlerSet, "deadListeners">): void {
    for (const listener of deadListeners) {
      const own = { ...letter, delivery: ownDelivery(letter.delivery) };
      this.#calls.call(listener, withEvent(own, this.#source));
    }
  }
}

function eventOf({ delivery, eventId }: EntryLetter, source: string): WebhookEvent | null {
  const read = readEnvelopeAgain(delivery.body);
  return read.ok ? toEvent({ envelope: read.envelope, eventId }, source) : null;
}
