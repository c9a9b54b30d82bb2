import type { Envelope } from "./envelope.ts";
import { deriveEventId, ownEventId, shortDigest } from "./identity.ts";
import { type ParsedEnvelope, parseEnvelope, parseEnvelopeAgain } from "./parse-envelope.ts";
import type { InvalidEnvelope } from "./rejection.ts";
import { decodeUtf8 } from "./utf8.ts";

/** An envelope read from bytes, with the values that its identity needs. */
export interface ReadEnvelope extends Omit<ParsedEnvelope, "content"> {
  readonly eventId: string;
  /** A digest that is equal for events that differ only in their timestamp. */
  readonly content: string;
}

export type EnvelopeResult = ({ readonly ok: true } & ReadEnvelope) | InvalidEnvelope;

/** Reads signed bytes as an envelope; see {@link parseEnvelope}. Call it only with bytes whose signature is valid. */
export function readEnvelope(body: Uint8Array): EnvelopeResult {
  const parsed = parseEnvelope(body, decodeUtf8);
  if (!parsed.ok) return parsed;
  const { envelope, timestamp } = parsed;
  const content = shortDigest(parsed.content);
  return {
    ok: true,
    envelope,
    eventId: ownEventId(envelope.id) ?? deriveEventId(content, timestamp),
    timestamp,
    content,
  };
}

/** Reads bytes that {@link readEnvelope} has accepted before, without repeating all of its checks. */
export function readEnvelopeAgain(
  body: Uint8Array,
): { readonly ok: true; readonly envelope: Envelope } | InvalidEnvelope {
  return parseEnvelopeAgain(body, decodeUtf8);
}
