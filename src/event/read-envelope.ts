import { type JsonMembers, readMembers } from "./canonical-json.ts";
import { type Envelope, envelopeSchema, isEnvelope } from "./envelope.ts";
import { contentDigest, deriveEventId, ownEventId } from "./identity.ts";
import { parseTimestamp } from "./timestamp.ts";
import { decodeUtf8 } from "./utf8.ts";

/** Why signed bytes are not an event. Stored with the dead letter, shown in the live view, listed in `docs/answers.md`. */
export const REJECTION_REASONS = {
  empty_body: "the body is empty",
  invalid_utf8: "the body is not UTF-8",
  invalid_json: "the body is not JSON",
  duplicate_key: "an object contains a key twice, so its meaning is ambiguous",
  forbidden_key: "an object contains a key that could pollute prototypes",
  too_deep: "the JSON is nested too deeply",
  invalid_envelope: "the JSON is not an envelope",
  invalid_timestamp: "the timestamp is not ISO 8601 in UTC",
  too_old: "the timestamp is older than the receiver accepts",
  future_timestamp: "the timestamp is too far in the future",
} as const;

/** One of the stable rejection reasons. */
export type RejectionReason = keyof typeof REJECTION_REASONS;

/** Why signed bytes are not an event, in words that may be sent as an answer: never a value from the body. */
export interface Rejection {
  readonly reason: RejectionReason;
  readonly message: string;
  /** The invalid field, such as `webhook.id`, if there is one. */
  readonly field?: string;
}

/** An envelope read from bytes, with the values that its identity needs. */
export interface ReadEnvelope {
  readonly envelope: Envelope;
  readonly eventId: string;
  /** The envelope's timestamp in milliseconds since 1970. */
  readonly timestamp: number;
  /** Equal for events that differ only in their timestamp. */
  readonly content: string;
}

/** The result of reading an envelope. */
export type EnvelopeResult = ({ readonly ok: true } & ReadEnvelope) | InvalidEnvelope;

/** The bytes are not an event. */
export interface InvalidEnvelope {
  readonly ok: false;
  readonly rejection: Rejection;
}

/**
 * Reads signed bytes as an envelope: strict UTF-8, strict JSON, no duplicate or dangerous keys, the four fields of the
 * description's "Body envelope", a strict UTC timestamp. Call it only with bytes whose signature is valid.
 */
export function readEnvelope(body: Uint8Array): EnvelopeResult {
  const parsed = parseObject(body);
  if (!parsed.ok) return parsed;
  const { text, value } = parsed;
  const walked = readMembers(text);
  if ("fault" in walked) return rejected(walked.fault.reason, walked.fault.path);
  return isEnvelope(value) ? identify(value, walked.members) : notAnEnvelope(value);
}

/** Reads bytes that {@link readEnvelope} has accepted before, without repeating all of its checks. */
export function readEnvelopeAgain(
  body: Uint8Array,
): { readonly ok: true; readonly envelope: Envelope } | InvalidEnvelope {
  const parsed = parseObject(body);
  if (!parsed.ok) return parsed;
  const { value } = parsed;
  return isEnvelope(value) ? { ok: true, envelope: value } : notAnEnvelope(value);
}

function parseObject(
  body: Uint8Array,
): { readonly ok: true; readonly text: string; readonly value: object } | InvalidEnvelope {
  if (body.byteLength === 0) return rejected("empty_body");
  let text: string;
  try {
    text = decodeUtf8(body);
  } catch {
    return rejected("invalid_utf8");
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return rejected("invalid_json");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return rejected("invalid_envelope", undefined, "the body must be a JSON object");
  }
  return { ok: true, text, value };
}

function notAnEnvelope(value: object): InvalidEnvelope {
  const field = envelopeSchema.safeParse(value).error?.issues[0]?.path.join(".") ?? "";
  return rejected("invalid_envelope", field, `${field} is missing or invalid`);
}

function identify(envelope: Envelope, members: JsonMembers): EnvelopeResult {
  const timestamp = parseTimestamp(envelope.timestamp);
  if (timestamp === undefined) return rejected("invalid_timestamp", "timestamp");
  const content = contentDigest(canonical(members, "event"), canonical(members, "data"));
  const eventId = ownEventId(envelope.id) ?? deriveEventId(content, timestamp);
  return { ok: true, envelope, eventId, timestamp, content };
}

function canonical(members: JsonMembers, key: string): string {
  const span = members.get(key);
  if (span === undefined) throw new TypeError(`a validated envelope has no ${key}`);
  return span.canonical;
}

/** Creates a rejection with the standard text of its reason, or with another text. */
export function rejected(reason: RejectionReason, field?: string, message?: string): InvalidEnvelope {
  const text = message ?? REJECTION_REASONS[reason];
  return { ok: false, rejection: { reason, message: text, ...(field !== undefined && { field }) } };
}
