import { describeError } from "../errors.ts";
import type { Delivery } from "../event/delivery.ts";
import { type DedupKey, rejectedKey } from "../event/identity.ts";
import { type ReadEnvelope, type Rejection, readEnvelope, rejected } from "../event/read-envelope.ts";
import type { Appended, NewEntry } from "../inbox/inbox.ts";
import { readHeader } from "../signature/header.ts";
import { verify } from "../signature/verify.ts";
import { fitsInTime } from "./fits-in-time.ts";
import { dedupKey, type EntryTerms, newEntry, orderKey, storedKind } from "./new-entry.ts";
import type { Settings } from "./options.ts";
import type { Accepted, Outcome, Proof } from "./outcome.ts";

/**
 * The heart: takes a delivery and says what became of it. Signature over the raw bytes, then parse, then validate, then
 * dedup and persist in one commit. Knows no HTTP library; never throws.
 *
 * @param holdMs - milliseconds until a new entry runs in its turn
 */
export function accept(delivery: Delivery, settings: Settings, holdMs = 0): Promise<Outcome> {
  let proof: Proof;
  try {
    const secrets = settings.secrets(); // one snapshot: a rotation does not change it half-way
    const header = readHeader(delivery.headers, settings.signatureHeader);
    const verified = verify(delivery.body, header, secrets);
    if (!verified.ok) return Promise.resolve({ type: "unauthorized", reason: verified.reason });
    const { role, fingerprint } = verified.secret;
    proof = { secret: { role, fingerprint } };
  } catch (error) {
    return Promise.resolve({ type: "misconfigured", error: asError(error) });
  }
  return keep(delivery, { proof, holdMs }, settings);
}

/**
 * The same for a delivery whose authenticity comes from the channel it came over. It is apart from `accept`, and no
 * adapter calls it, so that nothing an HTTP request holds can lead here.
 */
export function acceptFromChannel(delivery: Delivery, channel: string, settings: Settings): Promise<Outcome> {
  return keep(delivery, { proof: { channel }, holdMs: 0 }, settings);
}

/** Why a delivery is kept, and the milliseconds until its entry runs in its turn. */
interface Entitled {
  readonly proof: Proof;
  readonly holdMs: number;
}

function keep(delivery: Delivery, entitled: Entitled, settings: Settings): Promise<Outcome> {
  const read = readEnvelope(delivery.body);
  if (read.ok) return keepEvent(delivery, read, entitled, settings);
  return keepRejected(delivery, { rejection: read.rejection, proof: entitled.proof }, settings);
}

/** Why a delivery is a dead letter, and what could be read of it. */
interface Rejected {
  readonly rejection: Rejection;
  readonly read?: ReadEnvelope;
  readonly proof: Proof;
}

/** Keeps a rejected delivery as a dead letter of its own, so that it never stands in the way of the event it may be. */
async function keepRejected(
  delivery: Delivery,
  { rejection, read, proof }: Rejected,
  settings: Settings,
): Promise<Outcome> {
  const key = rejectedKey(settings.source, delivery.body);
  const kind = read === undefined ? null : storedKind(read.envelope);
  const eventTimestamp = read?.timestamp ?? null;
  const { reason } = rejection;
  const entry: NewEntry = { key, kind, eventTimestamp, state: "dead", reason, orderKey: null, delivery };
  try {
    const appended = await settings.inbox.append(entry);
    if (appended === undefined) throw new TypeError("an inbox must keep every dead letter");
    const { seq, duplicate } = appended;
    return { type: "rejected", rejection, kind, seq, eventId: key.eventId, duplicate, ...proof };
  } catch (error) {
    return unavailable(error, settings);
  }
}

async function keepEvent(
  delivery: Delivery,
  read: ReadEnvelope,
  { proof, holdMs }: Entitled,
  settings: Settings,
): Promise<Outcome> {
  let terms: EntryTerms;
  try {
    const key = dedupKey(read, settings);
    const fitting = fitsInTime(read.envelope, settings);
    const fits = typeof fitting === "boolean" ? fitting : await fitting;
    terms = { key, order: orderKey(read, settings, fits), fits, holdMs };
  } catch (error) {
    return { type: "misconfigured", error: asError(error) };
  }
  const untimely = checkAge(read.timestamp, settings);
  if (untimely?.reason === "future_timestamp") {
    const aheadMs = read.timestamp - settings.clock();
    settings.log.warn({ aheadMs }, "an event is dated in the future: is this machine's clock right?");
  }
  const { inbox } = settings;
  try {
    // What is known is a duplicate, however late it comes: a sender that never saw our answer must not be refused.
    const kept =
      untimely === undefined
        ? await inbox.append(newEntry(delivery, read, terms))
        : await inbox.touch(terms.key, delivery.receivedAt);
    if (kept !== undefined) return accepted(kept, read, { terms, proof }, settings);
  } catch (error) {
    return unavailable(error, settings);
  }
  // So old that its key may have been pruned, though a clock that was set back calls it timely: it could run twice.
  const rejection = untimely ?? tooOld();
  return keepRejected(delivery, { rejection, read, proof }, settings);
}

function accepted(
  { seq, duplicate, state }: Appended,
  read: ReadEnvelope,
  { terms: { key, fits }, proof }: { readonly terms: EntryTerms; readonly proof: Proof },
  settings: Settings,
): Accepted {
  return {
    type: "accepted",
    eventId: key.eventId,
    kind: read.envelope.event,
    seq,
    duplicate,
    entryState: state,
    ...(!fits && { reason: "invalid_data" }),
    ...restampOf(read, key, duplicate, settings),
    ...proof,
  };
}

function checkAge(timestamp: number, { clock, maxAge, maxSkew }: Settings): Rejection | undefined {
  const age = clock() - timestamp;
  if (age > maxAge) return tooOld();
  if (-age > maxSkew) return rejected("future_timestamp", "timestamp").rejection;
  return undefined;
}

/** Only what was newly kept can be a restamp; duplicates and what `identity` has already told apart are not. */
function restampOf(
  { content, timestamp }: ReadEnvelope,
  { eventId }: DedupKey,
  duplicate: boolean,
  { identity, restamps }: Settings,
): { restampOf: string } | undefined {
  if (duplicate || identity !== undefined) return undefined;
  const earlier = restamps.note(content, eventId, timestamp);
  return earlier === undefined ? undefined : { restampOf: earlier };
}

function tooOld(): Rejection {
  return rejected("too_old", "timestamp").rejection;
}

function unavailable(error: unknown, { log }: Settings): Outcome {
  log.error(
    { error: describeError(error) },
    "a delivery could not be kept; the sender was told to come again",
  );
  return { type: "unavailable", error: asError(error) };
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(describeError(thrown));
}
