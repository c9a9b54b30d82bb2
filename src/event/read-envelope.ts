import type { Envelope } from "./envelope.ts";
import { contentDigest, deriveEventId, ownEventId } from "./identity.ts";
import { type ParsedEnvelope, parseEnvelope, parseEnvelopeAgain } from "./parse-envelope.ts";
import type { InvalidEnvelope } from "./rejection.ts";
import type { OpenObject } from "./schemas.ts";
import { decodeUtf8 } from "./utf8.ts";

/** What has to be known of an event to keep it. */
export interface EventFacts {
  readonly kind: string;
  readonly eventId: string;
  /** The envelope's timestamp in milliseconds since 1970. */
  readonly timestamp: number;
  /** A digest that is equal for events that differ only in their timestamp. */
  readonly content: string;
}

/** An envelope read from bytes, with the values that its identity needs. */
export interface ReadEnvelope extends Omit<ParsedEnvelope, "content"> {
  readonly eventId: string;
  /** A digest that is equal for events that differ only in their timestamp. */
  readonly content: string;
}

/** The result of reading an envelope. */
export type EnvelopeResult = ({ readonly ok: true } & ReadEnvelope) | InvalidEnvelope;

/** Reads signed bytes as an envelope; see {@link parseEnvelope}. Call it only with bytes whose signature is valid. */
export function readEnvelope(body: Uint8Array): EnvelopeResult {
  const parsed = parseEnvelope(body, decodeUtf8);
  if (!parsed.ok) return parsed;
  const { envelope, timestamp } = parsed;
  const content = contentDigest(parsed.content);
  return {
    ok: true,
    envelope,
    eventId: eventIdOf({ id: envelope.id, content, timestamp }),
    timestamp,
    content,
  };
}

/**
 * Reads the same bytes, and returns no more than these facts.
 *
 * @param needsData - whether `data` of a kind is needed, too
 */
export function readFacts(
  body: Uint8Array,
  needsData: (kind: string) => boolean,
): ({ readonly ok: true; readonly data: OpenObject | undefined } & EventFacts) | InvalidEnvelope {
  const read = readEnvelope(body);
  if (!read.ok) return read;
  const { event, data } = read.envelope;
  return { ok: true, ...factsOf(read), data: needsData(event) ? data : undefined };
}

/** What has to be known to keep the event of an envelope that was read. */
export function factsOf({ envelope, eventId, timestamp, content }: ReadEnvelope): EventFacts {
  return { kind: envelope.event, eventId, timestamp, content };
}

function eventIdOf({
  id,
  content,
  timestamp,
}: Pick<ReadEnvelope, "content" | "timestamp"> & { id?: unknown }): string {
  return ownEventId(id) ?? deriveEventId(content, timestamp);
}

/** Reads bytes that {@link readEnvelope} has accepted before, without repeating all of its checks. */
export function readEnvelopeAgain(
  body: Uint8Array,
): { readonly ok: true; readonly envelope: Envelope } | InvalidEnvelope {
  return parseEnvelopeAgain(body, decodeUtf8);
}
