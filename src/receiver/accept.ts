import { describeError } from "../errors.ts";
import type { Delivery } from "../event/delivery.ts";
import { type ReadEnvelope, readEnvelope } from "../event/read-envelope.ts";
import type { Inbox, Kept, KeptEvent, KeptRejected } from "../inbox/inbox.ts";
import { type KeepSteps, keepEvent, keepRejected } from "../inbox/keep.ts";
import type { EntryTerms } from "../inbox/new-entry.ts";
import { readHeader } from "../signature/header.ts";
import { verify } from "../signature/verify.ts";
import { dedupKey, orderKey } from "./entry-keys.ts";
import { fitsInTime } from "./fits-in-time.ts";
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

async function keep(delivery: Delivery, { proof, holdMs }: Entitled, settings: Settings): Promise<Outcome> {
  try {
    const kept = await (keepInStore(delivery, holdMs, settings) ?? keepFromHere(delivery, holdMs, settings));
    return "rejection" in kept
      ? rejectedOutcome(kept, proof, settings)
      : acceptedOutcome(kept, proof, settings);
  } catch (error) {
    if (error instanceof OwnCodeError) return { type: "misconfigured", error: asError(error.cause) };
    settings.log.error(
      { error: describeError(error) },
      "a delivery could not be kept; the sender was told to come again",
    );
    return { type: "unavailable", error: asError(error) };
  }
}

/** Leaves the reading to the inbox, where it can read beside this thread and nothing of the user's own is needed. */
function keepInStore(delivery: Delivery, holdMs: number, settings: Settings): Promise<Kept> | undefined {
  const { inbox, identity, orderBy, schemas, source, maxAge, maxSkew, clock } = settings;
  if (identity !== undefined || orderBy !== undefined || Object.keys(schemas).length > 0) return undefined;
  return inbox.keep?.(delivery, { source, maxAge, maxSkew, holdMs, now: clock() });
}

async function keepFromHere(delivery: Delivery, holdMs: number, settings: Settings): Promise<Kept> {
  const { inbox, source, maxAge, maxSkew, clock } = settings;
  const read = readEnvelope(delivery.body);
  if (!read.ok) return carryOut(keepRejected(delivery, { rejection: read.rejection, source }), inbox);
  const terms = await ownTerms(read, settings);
  return carryOut(keepEvent(delivery, read, { ...terms, holdMs }, { maxAge, maxSkew, now: clock() }), inbox);
}

/** What went wrong in the user's own code. */
class OwnCodeError extends Error {}

async function ownTerms(read: ReadEnvelope, settings: Settings): Promise<EntryTerms> {
  try {
    const key = dedupKey(read, settings);
    const fitting = fitsInTime(read.envelope, settings);
    const fits = typeof fitting === "boolean" ? fitting : await fitting;
    return { key, order: orderKey(read, settings, fits), fits };
  } catch (cause) {
    throw new OwnCodeError("the user's own code failed", { cause });
  }
}

async function carryOut(steps: KeepSteps, inbox: Inbox): Promise<Kept> {
  let next = steps.next();
  while (next.done !== true) {
    const step = next.value;
    next = steps.next(
      await ("append" in step ? inbox.append(step.append) : inbox.touch(step.touch, step.at)),
    );
  }
  return next.value;
}

function rejectedOutcome(kept: KeptRejected, proof: Proof, { log, clock }: Settings): Outcome {
  const { rejection, kind, seq, eventId, duplicate, timestamp } = kept;
  if (rejection.reason === "future_timestamp" && timestamp !== null) {
    const aheadMs = timestamp - clock();
    log.warn({ aheadMs }, "an event is dated in the future: is this machine's clock right?");
  }
  return { type: "rejected", rejection, kind, seq, eventId, duplicate, ...proof };
}

function acceptedOutcome(kept: KeptEvent, proof: Proof, settings: Settings): Accepted {
  const { eventId, kind, seq, duplicate, state, fits } = kept;
  return {
    ...{ type: "accepted", eventId, kind, seq, duplicate, entryState: state },
    ...(!fits && { reason: "invalid_data" }),
    ...restampOf(kept, settings),
    ...proof,
  };
}

/** Only what was newly kept can be a restamp; duplicates and what `identity` has already told apart are not. */
function restampOf(
  { content, timestamp, eventId, duplicate }: KeptEvent,
  { identity, restamps }: Settings,
): { restampOf: string } | undefined {
  if (duplicate || identity !== undefined) return undefined;
  const earlier = restamps.note(content, eventId, timestamp);
  return earlier === undefined ? undefined : { restampOf: earlier };
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(describeError(thrown));
}
