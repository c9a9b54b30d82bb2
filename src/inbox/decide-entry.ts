import { type AgeLimits, checkAge, tooOld } from "../event/age.ts";
import type { Delivery } from "../event/delivery.ts";
import { type DedupKey, rejectedKey } from "../event/identity.ts";
import { type EventFacts, readFacts } from "../event/read-envelope.ts";
import type { Rejection } from "../event/rejection.ts";
import { documentedProblems, isDocumented } from "../event/schemas.ts";
import type { Appended, NewEntry } from "./append.ts";
import type { KeepTerms, Kept } from "./kept.ts";
import { type EntryTerms, newEntry, storedKind } from "./new-entry.ts";

/** One write that a decision depends on; its answer is that of `Inbox.append` or `Inbox.touch`. */
type Write = { readonly append: NewEntry } | { readonly touch: DedupKey; readonly at: number };

/**
 * Decides what an authentic delivery becomes. It yields writes and takes their answers, so that the same code serves a
 * store that answers at once ({@link carryOutNow}) and one that answers later ({@link carryOut}).
 */
export type Decision = Generator<Write, Kept, Appended | undefined>;

/** Decides what the bytes of an authentic delivery become, without any of the user's own code. */
export function decideDelivery(delivery: Delivery, terms: KeepTerms): Decision {
  const read = readFacts(delivery.body, isDocumented);
  const { source, holdMs, lease } = terms;
  if (!read.ok) return decideRejected(delivery, { rejection: read.rejection, source });
  const { kind, eventId, timestamp, data } = read;
  const problems = data === undefined ? [] : documentedProblems(kind, data);
  const key = { source, eventId, timestamp };
  return decideEvent(delivery, read, { key, order: null, problems, holdMs, lease }, terms);
}

/** Decides what an event becomes: an entry, a duplicate, or a dead letter if it is too old or from the future. */
export function* decideEvent(
  delivery: Delivery,
  read: EventFacts,
  terms: EntryTerms,
  limits: AgeLimits & Pick<KeepTerms, "now">,
): Decision {
  const { key, problems } = terms;
  const { timestamp, content } = read;
  const untimely = checkAge(timestamp, limits.now, limits);
  // A known event is a duplicate however late it is: a sender that never saw our answer must not be refused.
  const appended = yield untimely === undefined
    ? { append: newEntry(delivery, read, terms) }
    : { touch: key, at: delivery.receivedAt };
  if (appended !== undefined) {
    const { seq, duplicate, state, leased = false } = appended;
    return { seq, duplicate, state, leased, key, kind: read.kind, timestamp, content, problems };
  }
  // Its key may have been pruned, even if a clock that was set back calls it timely: it could run twice.
  return yield* decideRejected(delivery, { rejection: untimely ?? tooOld(), read, source: key.source });
}

/** Why a delivery is a dead letter, and what could be read of it. */
interface DeadLetterTerms {
  readonly rejection: Rejection;
  readonly read?: EventFacts;
  readonly source: string;
}

/** Decides what a rejected delivery becomes: a dead letter. */
export function* decideRejected(delivery: Delivery, { rejection, read, source }: DeadLetterTerms): Decision {
  const key = rejectedKey(source, delivery.body);
  const kind = read === undefined ? null : storedKind(read.kind);
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

/** The part of an inbox that a decision writes to. */
interface Store<Answer> {
  append(entry: NewEntry): Answer;
  touch(key: DedupKey, at: number): Answer;
}

/** Carries out a decision with a store that answers at once, such as SQLite within a transaction. */
export function carryOutNow(decision: Decision, store: Store<Appended | undefined>): Kept {
  let next = decision.next();
  while (next.done !== true) next = decision.next(write(store, next.value));
  return next.value;
}

/** Carries out a decision with a store that answers later, such as any {@link Inbox}. */
export async function carryOut(
  decision: Decision,
  store: Store<Promise<Appended | undefined>>,
): Promise<Kept> {
  let next = decision.next();
  while (next.done !== true) next = decision.next(await write(store, next.value));
  return next.value;
}

function write<Answer>(store: Store<Answer>, request: Write): Answer {
  return "append" in request ? store.append(request.append) : store.touch(request.touch, request.at);
}
