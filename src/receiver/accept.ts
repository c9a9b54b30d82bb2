import { describeError } from "../errors.ts";
import type { Delivery } from "../event/delivery.ts";
import { type DedupKey, OWN_IDENTITY, ownEventId, rejectedKey } from "../event/identity.ts";
import { type ReadEnvelope, type Rejection, readEnvelope, rejected } from "../event/read-envelope.ts";
import { checkData } from "../event/schemas.ts";
import type { Appended, NewEntry } from "../inbox/inbox.ts";
import { readHeader } from "../signature/header.ts";
import type { Secret } from "../signature/secrets.ts";
import { verify } from "../signature/verify.ts";
import type { Settings } from "./options.ts";
import type { Outcome } from "./outcome.ts";
import { toEvent } from "./to-event.ts";

/** Longer kinds are cut where they are stored; handlers get them whole. */
const MAX_STORED_KIND = 200;

/**
 * The heart: takes a delivery and says what became of it. Signature over the raw bytes, then parse, then validate, then
 * dedup and persist in one commit. Knows no HTTP library; never throws.
 */
export async function accept(delivery: Delivery, settings: Settings): Promise<Outcome> {
  let secrets: readonly Secret[];
  try {
    secrets = settings.secrets(); // one snapshot: a rotation does not change it half-way
  } catch (error) {
    return { type: "misconfigured", error: asError(error) };
  }
  const header = readHeader(delivery.headers, settings.signatureHeader);
  const verified = verify(delivery.body, header, secrets);
  if (!verified.ok) return { type: "unauthorized", reason: verified.reason };
  const { role, fingerprint } = verified.secret;
  const secret = { role, fingerprint };

  const read = readEnvelope(delivery.body);
  if (!read.ok) return keepRejected(delivery, read.rejection, undefined, secret, settings);
  return keepEvent(delivery, read, secret, settings);
}

/** Keeps a rejected delivery as a dead letter of its own, so that it never stands in the way of the event it may be. */
async function keepRejected(
  delivery: Delivery,
  rejection: Rejection,
  read: ReadEnvelope | undefined,
  secret: Pick<Secret, "role" | "fingerprint">,
  settings: Settings,
): Promise<Outcome> {
  const key = rejectedKey(settings.source, delivery.body);
  const kind = read?.envelope.event.slice(0, MAX_STORED_KIND) ?? null;
  const eventTimestamp = read?.timestamp ?? null;
  const { reason } = rejection;
  const entry: NewEntry = { key, kind, eventTimestamp, state: "dead", reason, orderKey: null, delivery };
  return persist(settings, async (inbox) => {
    const { seq, duplicate } = await inbox.append(entry);
    return { type: "rejected", rejection, kind, seq, eventId: key.eventId, duplicate, secret };
  });
}

async function keepEvent(
  delivery: Delivery,
  read: ReadEnvelope,
  secret: Pick<Secret, "role" | "fingerprint">,
  settings: Settings,
): Promise<Outcome> {
  let key: DedupKey;
  let fits: boolean;
  try {
    key = dedupKey(read, settings);
    fits = (await checkData(read.envelope.event, read.envelope.data, settings.schemas)).ok;
  } catch (error) {
    return { type: "misconfigured", error: asError(error) };
  }
  const accepted = ({ seq, duplicate, state }: Appended): Outcome => ({
    type: "accepted",
    eventId: key.eventId,
    kind: read.envelope.event,
    seq,
    duplicate,
    entryState: state,
    ...(!fits && { reason: "invalid_data" }),
    secret,
  });
  const untimely = checkAge(read.timestamp, settings);
  if (untimely !== undefined) {
    // What is known is a duplicate, however late it comes: a sender that never saw our answer must not be refused.
    return persist(settings, async (inbox) => {
      const known = await inbox.touch(key, delivery.receivedAt);
      if (known !== undefined) return accepted(known);
      return keepRejected(delivery, untimely, read, secret, settings);
    });
  }
  return persist(settings, async (inbox) =>
    accepted(await inbox.append(newEntry(delivery, read, key, fits))),
  );
}

/** An event's entry as it is first kept. */
export function newEntry(delivery: Delivery, read: ReadEnvelope, key: DedupKey, fits: boolean): NewEntry {
  return {
    key,
    kind: read.envelope.event.slice(0, MAX_STORED_KIND),
    eventTimestamp: read.timestamp,
    state: fits ? "pending" : "dead",
    reason: fits ? null : "invalid_data",
    orderKey: null,
    delivery,
  };
}

/**
 * The dedup key of an envelope: (source, event id, timestamp), or what the user's own `identity` says.
 *
 * @throws TypeError when `identity` gives something else than a text
 */
export function dedupKey(read: ReadEnvelope, { source, identity }: Settings): DedupKey {
  const { eventId, timestamp } = read;
  if (identity === undefined) return { source, eventId, timestamp };
  const own: unknown = identity(toEvent(read, source));
  if (typeof own !== "string" || own === "") {
    throw new TypeError(`expected identity to return a text that is not empty, got ${typeof own}`);
  }
  return { source, eventId: ownEventId(own) ?? own, timestamp: OWN_IDENTITY };
}

function checkAge(timestamp: number, { clock, maxAge, maxSkew }: Settings): Rejection | undefined {
  const age = clock() - timestamp;
  if (age > maxAge) return rejected("too_old", "timestamp").rejection;
  if (-age > maxSkew) return rejected("future_timestamp", "timestamp").rejection;
  return undefined;
}

async function persist(
  { inbox, log }: Settings,
  keep: (inbox: Settings["inbox"]) => Promise<Outcome>,
): Promise<Outcome> {
  try {
    return await keep(inbox);
  } catch (error) {
    log.error(
      { error: describeError(error) },
      "a delivery could not be kept; the sender was told to come again",
    );
    return { type: "unavailable", error: asError(error) };
  }
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(describeError(thrown));
}
