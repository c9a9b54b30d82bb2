import { isRecord } from "../base/guards.ts";
import { CanonicalJson } from "./canonical-json.ts";
import type { InexactNumber } from "./canonical-number.ts";
import type { Envelope } from "./envelope.ts";
import { type InvalidEnvelope, type Parsed, rejected } from "./rejection.ts";
import { parseTimestamp } from "./timestamp.ts";

/**
 * Decodes UTF-8 without a byte order mark, and throws if the bytes are not UTF-8. Runtimes have
 * different fast ways.
 */
export type Decode = (body: Uint8Array) => string;

/** Reused by all envelopes: reading one is not interrupted by another. */
const canonical = new CanonicalJson();

export interface ParsedEnvelope {
  readonly envelope: Envelope;
  /** The envelope's timestamp in milliseconds since 1970. */
  readonly timestamp: number;
  /**
   * Kind and `data` in canonical form, whatever the timestamp. Valid until the next envelope is
   * parsed.
   */
  readonly content: Uint8Array;
  /** Numbers that parsing has changed, at most 20. */
  readonly inexact: readonly InexactNumber[];
}

/**
 * Parses signed bytes as an envelope: strict UTF-8, strict JSON, no duplicate or dangerous keys,
 * the four fields of the description's "Body envelope", a strict UTC timestamp. Runs on any
 * runtime.
 */
export function parseEnvelope(body: Uint8Array, decode: Decode): Parsed<ParsedEnvelope> {
  const parsed = parseObject(body, decode);
  if (!parsed.ok) return parsed;
  const { value } = parsed;
  try {
    const fault = canonical.read(body);
    if (fault !== undefined) return rejected(fault.reason, fault.path);
    const field = invalidField(value);
    if (field !== undefined) return notAnEnvelope(field);
    const envelope = value as Envelope;
    const timestamp = parseTimestamp(envelope.timestamp);
    if (timestamp === undefined) return rejected("invalid_timestamp", "timestamp");
    const { inexact } = canonical;
    return { ok: true, envelope, timestamp, content: canonical.listOf("event", "data"), inexact };
  } finally {
    canonical.release();
  }
}

/**
 * Parses bytes that {@link parseEnvelope} has accepted before, without repeating all of its checks.
 */
export function parseEnvelopeAgain(
  body: Uint8Array,
  decode: Decode,
): Parsed<Pick<ParsedEnvelope, "envelope">> {
  const parsed = parseObject(body, decode);
  if (!parsed.ok) return parsed;
  const field = invalidField(parsed.value);
  return field === undefined
    ? { ok: true, envelope: parsed.value as Envelope }
    : notAnEnvelope(field);
}

/**
 * The first field that is missing or invalid, such as `webhook.id`: as the schema says, but faster,
 * on any runtime.
 */
export function invalidField(value: object): string | undefined {
  const { event, timestamp, data, webhook } = value as Partial<Envelope>;
  if (typeof event !== "string") return "event";
  if (typeof timestamp !== "string") return "timestamp";
  if (!isRecord(data)) return "data";
  if (!isRecord(webhook)) return "webhook";
  if (typeof webhook.id !== "string" || !webhook.id.startsWith("wh_")) return "webhook.id";
  return typeof webhook.url === "string" ? undefined : "webhook.url";
}

function parseObject(body: Uint8Array, decode: Decode): Parsed<{ readonly value: object }> {
  if (body.byteLength === 0) return rejected("empty_body");
  let text: string;
  try {
    text = decode(body);
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
  return { ok: true, value };
}

function notAnEnvelope(field: string): InvalidEnvelope {
  return rejected("invalid_envelope", field, `${field} is missing or invalid`);
}
