import type { DeadLetter, EntryLetter } from "../dispatch/handler.ts";
import { ownDelivery } from "../event/delivery.ts";
import { toEvent, type WebhookEvent } from "../event/event.ts";
import { readEnvelopeAgain } from "../event/read-envelope.ts";
import type { HandlerSet } from "./handler-set.ts";
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

export function reportDead(letter: EntryLetter, { router, settings, deadCalls }: HandlerSet): void {
  for (const listener of router.deadListeners) {
    const own = { ...letter, delivery: ownDelivery(letter.delivery) };
    deadCalls.call(listener, withEvent(own, settings.source));
  }
}

function eventOf({ delivery, eventId }: EntryLetter, source: string): WebhookEvent | null {
  const read = readEnvelopeAgain(delivery.body);
  return read.ok ? toEvent({ envelope: read.envelope, eventId }, source) : null;
}
