import { asError, ConfigurationError, describeError } from "../base/errors.ts";
import { isPromiseLike } from "../base/guards.ts";
import { invalid } from "../base/options/check-options.ts";
import { detach } from "../base/try-or.ts";
import type { ReadyEvent } from "../dispatch/plan/handler.ts";
import { MAX_PROBLEMS } from "../event/data-problems.ts";
import { type DedupKey, OWN_IDENTITY, ownEventId } from "../event/identity.ts";
import { type ReadEnvelope, readEnvelope, toEvent } from "../event/read-envelope.ts";
import { type Rejection, rejected } from "../event/rejection.ts";
import { checkData, type DataResult, type DataSchemas } from "../event/schemas.ts";
import type { EntryTerms } from "../inbox/new-entry.ts";
import { decidesInTime } from "./decides-in-time.ts";
import type { Settings } from "./options/settings.ts";
import type { Misconfigured, Unavailable } from "./outcome.ts";
import type { ReceiverState } from "./state.ts";

/** What an event is to be kept as. */
interface Judgement extends EntryTerms {
  /** The event for its handlers, unless the user's own code has seen it. */
  readonly ready?: ReadyEvent | undefined;
}

/** A delivery to be kept as an event. */
export interface JudgedEvent {
  readonly type: "event";
  readonly read: ReadEnvelope;
  readonly judgement: Judgement;
  /**
   * What becomes of it unless it is known already. A known event is a duplicate however late it is,
   * and however many wait: a sender that never saw our answer must not be refused.
   */
  readonly unlessKnown: JudgedRejection | Unavailable | undefined;
}

/** A delivery to be kept as a dead letter, since it is no event, or not a timely one. */
export interface JudgedRejection {
  readonly type: "rejected";
  readonly rejection: Rejection;
  readonly read?: ReadEnvelope;
}

/** Reads authentic bytes, and decides what they are to be kept as. */
export async function readAndJudge(
  body: Uint8Array,
  settings: Settings,
  { backlog, router: { handlers } }: Pick<ReceiverState, "backlog" | "router">,
): Promise<JudgedEvent | JudgedRejection | Unavailable | Misconfigured> {
  const read = readEnvelope(body);
  const full = backlog === undefined ? undefined : await backlog.refusal();
  const unavailable: Unavailable | undefined = full && { type: "unavailable", error: full };
  if (!read.ok) return unavailable ?? { type: "rejected", rejection: read.rejection };
  try {
    // For a duplicate, no more than its key is needed.
    if (unavailable !== undefined) {
      const judgement = { key: dedupKey(read, settings), order: null, problems: [] };
      return { type: "event", read, judgement, unlessKnown: unavailable };
    }
    const { schemas } = handlers;
    const { event, data } = read.envelope;
    const checking = checkData(event, data, schemas);
    const checked = isPromiseLike(checking)
      ? await decidesInTime(checking, event, settings.bodyTimeout)
      : checking;
    const judgement = judge(read, checked, schemas, settings);
    const untimely = checkAge(read.timestamp, settings.clock(), settings);
    const unlessKnown: JudgedRejection | undefined = untimely && {
      type: "rejected",
      rejection: untimely,
      read,
    };
    return { type: "event", read, judgement, unlessKnown };
  } catch (error) {
    return { type: "misconfigured", error: asError(error) }; // the user's own code failed
  }
}

/** Throws `option_invalid` if the user's own `identity` or `orderBy` fails. */
function judge(
  read: ReadEnvelope,
  checked: DataResult,
  schemas: DataSchemas,
  settings: Settings,
): Judgement {
  const { inexact } = read;
  const key = dedupKey(read, settings);
  const order = orderKey(read, settings, checked.ok);
  if (!checked.ok) {
    const problems = [...inexact, ...checked.problems].slice(0, MAX_PROBLEMS);
    return { key, order, unfit: checked.reason, problems };
  }
  const isRefused = inexact.length > 0 && settings.inexactNumbers === "reject";
  if (isRefused) return { key, order, unfit: "inexact_number", problems: inexact };
  const { identity, orderBy, source } = settings;
  // They may have changed the event.
  const isSeen = identity !== undefined || orderBy !== undefined;
  const ready = isSeen ? undefined : { event: toEvent(read, source, checked.data), schemas };
  return { key, order, problems: inexact, ready };
}

/**
 * The dedup key of an envelope: (source, event id, timestamp), or what the user's `identity`
 * returns.
 */
export function dedupKey(read: ReadEnvelope, { source, identity }: Settings): DedupKey {
  const { eventId, timestamp } = read;
  if (identity === undefined) return { source, eventId, timestamp };
  const own = called("identity", () => identity(toEvent(read, source)));
  if (typeof own !== "string" || own === "") {
    detach(own);
    throw invalid(
      "identity to return a non-empty string",
      own,
      "return what makes two events the same",
    );
  }
  return { source, eventId: ownEventId(own) ?? own, timestamp: OWN_IDENTITY };
}

/**
 * The order key that the user's `orderBy` returns; none if that throws for `data` that does not fit
 * its schema.
 */
export function orderKey(
  read: ReadEnvelope,
  { source, orderBy }: Settings,
  fits: boolean,
): string | null {
  if (orderBy === undefined) return null;
  let own: unknown;
  try {
    own = called("orderBy", () => orderBy(toEvent(read, source)));
  } catch (error) {
    if (fits) throw error;
    return null;
  }
  if (own === undefined || own === null) return null;
  if (typeof own === "string" && own !== "") return ownEventId(own) ?? own;
  detach(own);
  throw invalid(
    "orderBy to return a non-empty string, or undefined for no order",
    own,
    "return such a key",
  );
}

/** What the user's own function returns; an error that it throws gets its name. */
function called(name: string, call: () => unknown): unknown {
  try {
    return call();
  } catch (cause) {
    const message = `expected ${name} to return a string, got an error: ${describeError(cause)}`;
    throw new ConfigurationError("option_invalid", message, { cause });
  }
}

/** How old, and how far ahead of this machine's clock, an event may be: milliseconds. */
export interface AgeLimits {
  readonly maxAge: number;
  readonly maxSkew: number;
}

/** The rejection of an event that is too old or too far ahead; `undefined` if it is neither. */
export function checkAge(timestamp: number, now: number, { maxAge, maxSkew }: AgeLimits) {
  const age = now - timestamp;
  if (age > maxAge) return tooOld();
  if (-age > maxSkew) return rejected("future_timestamp", "timestamp").rejection;
  return undefined;
}

export function tooOld(): Rejection {
  return rejected("too_old", "timestamp").rejection;
}
