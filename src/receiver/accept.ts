import type { Reservation } from "../dispatch/reservation.ts";
import { asError, ConfigurationError, describeError } from "../errors.ts";
import type { Delivery } from "../event/delivery.ts";
import type { DedupKey } from "../event/identity.ts";
import { factsOf, type ReadEnvelope, readEnvelope } from "../event/read-envelope.ts";
import { carryOut, decideDelivery, decideEvent, decideRejected } from "../inbox/decide-entry.ts";
import type { KeepTerms, Kept, KeptEvent, KeptRejected } from "../inbox/kept.ts";
import { type EntryTerms, storedKind } from "../inbox/new-entry.ts";
import { readHeader } from "../signature/header.ts";
import { verify } from "../signature/verify.ts";
import { dedupKey, orderKey } from "./entry-keys.ts";
import type { Settings } from "./options/options.ts";
import type { Accepted, Outcome, Proof } from "./outcome.ts";
import { problemsInTime } from "./problems-in-time.ts";

/** How a new entry is to run. */
export interface NewEntryTerms {
  /** Milliseconds until it is due. Default 0. */
  readonly holdMs?: number | undefined;
  /** A reservation, to run it at once. */
  readonly reservation?: Pick<Reservation, "lease" | "run"> | undefined;
}

/**
 * The core: takes a delivery and returns its outcome. Checks the signature over the raw bytes, parses, validates, then
 * deduplicates and persists in one commit. Independent of any HTTP library; never throws.
 */
export function accept(
  delivery: Delivery,
  settings: Settings,
  { holdMs, reservation }: NewEntryTerms = {},
): Promise<Outcome> {
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
  return acceptAuthentic(delivery, { proof, holdMs, reservation }, settings);
}

/**
 * Accepts a delivery that its channel has authenticated. It is separate from `accept`, and no adapter calls it, so nothing
 * in an HTTP request can lead here.
 */
export function acceptFromChannel(
  delivery: Delivery,
  channel: string,
  settings: Settings,
  reservation?: Reservation,
): Promise<Outcome> {
  return acceptAuthentic(delivery, { proof: { channel }, reservation }, settings);
}

/** Why a delivery is authentic, and how its entry is to run. */
interface Entitled extends NewEntryTerms {
  readonly proof: Proof;
}

async function acceptAuthentic(delivery: Delivery, entitled: Entitled, settings: Settings): Promise<Outcome> {
  const { proof, holdMs = 0, reservation } = entitled;
  const terms = { holdMs, lease: reservation?.lease };
  try {
    const refusal = settings.backlog === undefined ? undefined : await settings.backlog.refusal();
    if (refusal !== undefined) return await acceptKnown(delivery, { proof, refusal }, settings);
    const kept = await (decidePlainly(delivery, terms, settings) ??
      decideWithOwnCode(delivery, terms, settings));
    if ("rejection" in kept) return rejectedOutcome(kept, proof, settings);
    const { seq, key, kind, leased } = kept;
    if (leased === true) reservation?.run({ seq, key, kind: storedKind(kind), delivery: copyOf(delivery) });
    else if (!kept.duplicate && kept.state === "pending") settings.backlog?.added();
    return acceptedOutcome(kept, proof, settings);
  } catch (error) {
    if (error instanceof OwnCodeError) return { type: "misconfigured", error: asError(error.cause) };
    if (error instanceof ConfigurationError) return { type: "misconfigured", error };
    settings.log.error(
      { error: describeError(error) },
      "a delivery could not be kept; the sender was told to come again",
    );
    return { type: "unavailable", error: asError(error) };
  }
}

/** Counts a duplicate of a known event; nothing new is kept. */
async function acceptKnown(
  delivery: Delivery,
  { proof, refusal }: { readonly proof: Proof; readonly refusal: Error },
  settings: Settings,
): Promise<Outcome> {
  const read = readEnvelope(delivery.body);
  if (!read.ok) return { type: "unavailable", error: refusal };
  let key: DedupKey;
  try {
    key = dedupKey(read, settings);
  } catch (cause) {
    throw new OwnCodeError("the user's own code failed", { cause });
  }
  const known = await settings.inbox.touch(key, delivery.receivedAt);
  if (known === undefined) return { type: "unavailable", error: refusal };
  const { content, timestamp, envelope } = read;
  return acceptedOutcome(
    { ...known, key, kind: envelope.event, timestamp, content, problems: [] },
    proof,
    settings,
  );
}

/** A handler's own, as if it came from the store: what it changes is not seen by those who watch. */
function copyOf({ method, target, headers, body, receivedAt }: Delivery): Delivery {
  return { method, target, headers, body: new Uint8Array(body), receivedAt };
}

type StoreTerms = Pick<KeepTerms, "holdMs" | "lease">;

/** Decides without the user's own code, if none is needed: in the inbox, if that can decide beside this thread. */
function decidePlainly(
  delivery: Delivery,
  { holdMs, lease }: StoreTerms,
  settings: Settings,
): Promise<Kept> | undefined {
  const { inbox, identity, orderBy, schemas, source, maxAge, maxSkew, clock } = settings;
  if (identity !== undefined || orderBy !== undefined || Object.keys(schemas).length > 0) return undefined;
  const terms: KeepTerms = { source, maxAge, maxSkew, holdMs, lease, now: clock() };
  return inbox.keep?.(delivery, terms) ?? carryOut(decideDelivery(delivery, terms), inbox);
}

async function decideWithOwnCode(delivery: Delivery, terms: StoreTerms, settings: Settings): Promise<Kept> {
  const { inbox, source, maxAge, maxSkew, clock } = settings;
  const read = readEnvelope(delivery.body);
  if (!read.ok) return carryOut(decideRejected(delivery, { rejection: read.rejection, source }), inbox);
  const own = await ownTerms(read, settings);
  const limits = { maxAge, maxSkew, now: clock() };
  return carryOut(decideEvent(delivery, factsOf(read), { ...own, ...terms }, limits), inbox);
}

/** What went wrong in the user's own code. */
class OwnCodeError extends Error {}

async function ownTerms(read: ReadEnvelope, settings: Settings): Promise<EntryTerms> {
  try {
    const key = dedupKey(read, settings);
    const checking = problemsInTime(read.envelope, settings);
    const problems = checking instanceof Promise ? await checking : checking;
    return { key, order: orderKey(read, settings, problems.length === 0), problems };
  } catch (cause) {
    throw new OwnCodeError("the user's own code failed", { cause });
  }
}

function rejectedOutcome(kept: KeptRejected, proof: Proof, { log, clock }: Settings): Outcome {
  const { rejection, kind, seq, eventId, duplicate, timestamp } = kept;
  if (rejection.reason === "future_timestamp" && timestamp !== null) {
    const aheadMs = timestamp - clock();
    log.warn({ aheadMs }, "an event is dated in the future: is this machine's clock right?");
  }
  return { type: "rejected", rejection, kind, seq, eventId, duplicate, ...proof };
}

function acceptedOutcome(kept: KeptEvent, { secret, channel }: Proof, settings: Settings): Accepted {
  const { key, kind, seq, duplicate, state: entryState } = kept;
  const problems = kept.problems.length === 0 ? undefined : kept.problems;
  const reason = problems === undefined ? undefined : "invalid_data";
  const restampOf = earlierOf(kept, settings);
  const { eventId } = key;
  return {
    type: "accepted",
    eventId,
    kind,
    seq,
    duplicate,
    entryState,
    reason,
    problems,
    restampOf,
    secret,
    channel,
  };
}

/** The event that a new one may be a restamp of; duplicates and what `identity` has already told apart are none. */
function earlierOf(
  { content, timestamp, key, duplicate }: KeptEvent,
  { identity, restamps }: Settings,
): string | undefined {
  if (duplicate || identity !== undefined) return undefined;
  return restamps.note(content, key.eventId, timestamp);
}
