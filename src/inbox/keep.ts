import { type AgeLimits, checkAge, tooOld } from "../event/age.ts";
import type { Delivery } from "../event/delivery.ts";
import { type DedupKey, rejectedKey } from "../event/identity.ts";
import { type ReadEnvelope, type Rejection, readEnvelope } from "../event/read-envelope.ts";
import { fitsDocumented } from "../event/schemas.ts";
import type { Appended, KeepTerms, Kept, NewEntry } from "./inbox.ts";
import { type EntryTerms, newEntry, storedKind } from "./new-entry.ts";

/** What a store is asked for; it is given the answer of {@link Inbox.append}, or of {@link Inbox.touch}. */
export type KeepStep = { readonly append: NewEntry } | { readonly touch: DedupKey; readonly at: number };

/** The way a delivery is kept, step by step: the store may answer at once or later. */
export type KeepSteps = Generator<KeepStep, Kept, Appended | undefined>;

/** Keeps authentic bytes. */
export function keepDelivery(delivery: Delivery, terms: KeepTerms): KeepSteps {
  const read = readEnvelope(delivery.body);
  const { source, holdMs, lease } = terms;
  if (!read.ok) return keepRejected(delivery, { rejection: read.rejection, source });
  const { eventId, timestamp, envelope } = read;
  const fits = fitsDocumented(envelope.event, envelope.data);
  const key = { source, eventId, timestamp };
  return keepEvent(delivery, read, { key, order: null, fits, holdMs, lease }, terms);
}

/** Keeps an event; as a dead letter, where it comes too late or too early. */
export function* keepEvent(
  delivery: Delivery,
  read: ReadEnvelope,
  terms: EntryTerms,
  limits: AgeLimits & Pick<KeepTerms, "now">,
): KeepSteps {
  const { key, fits } = terms;
  const { timestamp, content } = read;
  const untimely = checkAge(timestamp, limits.now, limits);
  // What is known is a duplicate, however late it comes: a sender that never saw our answer must not be refused.
  const appended = yield untimely === undefined
    ? { append: newEntry(delivery, read, terms) }
    : { touch: key, at: delivery.receivedAt };
  if (appended !== undefined) {
    const { seq, duplicate, state, leased = false } = appended;
    return { seq, duplicate, state, leased, key, kind: read.envelope.event, timestamp, content, fits };
  }
  // So old that its key may have been pruned, though a clock that was set back calls it timely: it could run twice.
  return yield* keepRejected(delivery, { rejection: untimely ?? tooOld(), read, source: key.source });
}

/** Why a delivery is a dead letter, and what could be read of it. */
interface Rejected {
  readonly rejection: Rejection;
  readonly read?: ReadEnvelope;
  readonly source: string;
}

/** Keeps a rejected delivery. */
export function* keepRejected(delivery: Delivery, { rejection, read, source }: Rejected): KeepSteps {
  const key = rejectedKey(source, delivery.body);
  const kind = read === undefined ? null : storedKind(read.envelope.event);
  const timestamp = read?.timestamp ?? null;
  const { reason } = rejection;
  const appended = yield {
    append: { key, kind, eventTimestamp: timestamp, state: "dead", reason, orderKey: null, delivery },
  };
  if (appended === undefined) {
    throw new TypeError(
      "expected the inbox's append to keep every dead letter, got undefined: return that for pending entries only",
    );
  }
  return { ...appended, rejection, eventId: key.eventId, kind, timestamp };
}
