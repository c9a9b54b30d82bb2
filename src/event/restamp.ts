import { CanonicalJson } from "./canonical-json.ts";
import type { JsonSpan } from "./json-members.ts";
import { formatTimestamp } from "./timestamp.ts";
import { decodeUtf8 } from "./utf8.ts";

/** Reused by all bodies. */
const json = new CanonicalJson();

/**
 * Returns the same body with another `timestamp`. Only the characters of that value change;
 * spacing, key order, escapes and numbers stay. Returns `undefined` if the bytes are not a JSON
 * object with a `timestamp`.
 */
export function restamp(body: Uint8Array, instant: number): Uint8Array | undefined {
  const span = timestampIn(body);
  if (span === undefined) return undefined;
  const stamped = Buffer.from(JSON.stringify(formatTimestamp(instant)));
  return Buffer.concat([body.subarray(0, span.start), stamped, body.subarray(span.end)]);
}

function timestampIn(body: Uint8Array): JsonSpan | undefined {
  try {
    const text = decodeUtf8(body);
    JSON.parse(text);
    if (!text.trimStart().startsWith("{")) return undefined;
  } catch {
    return undefined;
  }
  const span = json.read(body) === undefined ? json.span("timestamp") : undefined;
  json.release();
  return span;
}
