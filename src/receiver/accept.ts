import { isPromiseLike } from "../base/is-promise-like.ts";
import type { Reservation } from "../dispatch/reservation.ts";
import { asError, ConfigurationError } from "../errors.ts";
import type { Delivery } from "../event/delivery.ts";
import { type ReadEnvelope, readEnvelope } from "../event/read-envelope.ts";
import type { Rejection } from "../event/rejection.ts";
import { checkData } from "../event/schemas.ts";
import type { Appended } from "../inbox/append.ts";
import { newEntry, rejectedEntry } from "../inbox/new-entry.ts";
import { readHeader } from "../signature/header.ts";
import { verify } from "../signature/verify.ts";
import { decidesInTime } from "./decides-in-time.ts";
import { checkAge, dedupKey, type Judgement, judge, tooOld } from "./judge.ts";
import type { Settings } from "./options/settings.ts";
import type { Accepted, Misconfigured, Outcome, Proof, Unauthorized } from "./outcome.ts";

export interface NewEntryTerms {
  /** Milliseconds until it is due. Default 0. */
  readonly holdMs?: number | undefined;
  readonly reservation?: Pick<Reservation, "lease" | "run"> | undefined;
}

/**
 * Checks the signature over the raw bytes: returns which secret matched, or the outcome if none
 * did. Never throws.
 */
export function authenticate(
  delivery: Delivery,
  settings: Settings,
): Proof | Unauthorized | Misconfigured {
  try {
    const secrets = settings.secrets(); // one snapshot: a rotation does not change it half-way
    const header = readHeader(delivery.headers, settings.signatureHeader);
    const verified = verify(delivery.body, header, secrets);
    if (!verified.ok) return { type: "unauthorized", reason: verified.reason };
    const { role, fingerprint } = verified.secret;
    return { secret: { role, fingerprint } };
  } catch (error) {
    return { type: "misconfigured", error: asError(error) };
  }
}

/**
 * The core: takes an authentic delivery and returns its outcome. Reads it, decides what it is to
 * become, and keeps that in one commit that also finds duplicates. Independent of any HTTP library;
 * never throws.
 */
export async function accept(
  delivery: Delivery,
  proof: Proof,
  settings: Settings,
  { holdMs, reservation }: NewEntryTerms = {},
): Promise<Outcome> {
  const { inbox, backlog } = settings;
  try {
    const read = readEnvelope(delivery.body);
    const full = backlog === undefined ? undefined : await backlog.refusal();
    if (!read.ok && full !== undefined) return { type: "unavailable", error: full };
    if (!read.ok) return await reject(delivery, { rejection: read.rejection }, proof, settings);

    let judgement: Judgement;
    try {
      // If the backlog is full, only duplicates are accepted, and no more than their key is needed.
      if (full !== undefined)
        judgement = { key: dedupKey(read, settings), order: null, problems: [] };
      else {
        const { event, data } = read.envelope;
        const checking = checkData(event, data, settings.schemas);
        const checked = isPromiseLike(checking)
          ? await decidesInTime(checking, event, settings.bodyTimeout)
          : checking;
        judgement = judge(read, checked, settings);
      }
    } catch (error) {
      return { type: "misconfigured", error: asError(error) }; // the user's own code failed
    }
    const { key, order, ready } = judgement;
    const untimely = checkAge(read.timestamp, settings.clock(), settings);
    // A dead letter may hold an entry with an order key back: a claim finds out.
    const mayBeHeld = order !== null && settings.deadLetterOrder === "block";
    const lease = mayBeHeld ? undefined : reservation?.lease;
    const entry = newEntry(delivery, read, judgement, { holdMs, lease });
    // A known event is a duplicate however late it is: a sender that never saw our answer must not
    // be refused.
    const isNew = full === undefined && untimely === undefined;
    const kept = await (isNew ? inbox.append(entry) : inbox.touch(key, delivery.receivedAt));
    if (kept === undefined && full !== undefined) return { type: "unavailable", error: full };
    // Its key may have been pruned, even if a clock that was set back calls it timely: it could run
    // twice.
    if (kept === undefined)
      return await reject(delivery, { rejection: untimely ?? tooOld(), read }, proof, settings);

    if (settings.store.failure !== undefined) settings.store.recovered();
    const { seq, leased, duplicate, state } = kept;
    if (leased === true) {
      reservation?.run({ seq, key, kind: entry.kind, orderKey: order, delivery }, ready);
    } else if (!duplicate && state === "waiting") backlog?.added();
    return acceptedOutcome(kept, read, judgement, proof, settings);
  } catch (error) {
    if (error instanceof ConfigurationError) return { type: "misconfigured", error };
    settings.store.failed(error);
    return { type: "unavailable", error: asError(error) };
  }
}

async function reject(
  delivery: Delivery,
  { rejection, read }: { readonly rejection: Rejection; readonly read?: ReadEnvelope },
  proof: Proof,
  { inbox, source, store, log, clock }: Settings,
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
  return { type: "rejected", rejection, kind, seq, eventId: key.eventId, duplicate, ...proof };
}

function acceptedOutcome(
  { seq, duplicate, state }: Appended,
  { envelope, content, timestamp }: ReadEnvelope,
  { key: { eventId }, unfit, problems }: Judgement,
  { secret, channel }: Proof,
  { identity, restamps }: Settings,
): Accepted {
  // What is a duplicate, or what `identity` has told apart, is no restamp.
  const mayBeRestamp = !duplicate && identity === undefined;
  return {
    type: "accepted",
    eventId,
    kind: envelope.event,
    seq,
    duplicate,
    entryState: state,
    reason: unfit,
    problems: problems.length === 0 ? undefined : problems,
    restampOf: mayBeRestamp ? restamps.note(content, eventId, timestamp) : undefined,
    secret,
    channel,
  };
}
