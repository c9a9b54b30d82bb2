import { readMembers } from "./canonical-json.ts";
import { formatTimestamp } from "./timestamp.ts";
import { decodeUtf8, hasByteOrderMark } from "./utf8.ts";

/**
 * Returns the same body with another `timestamp`. Only the characters of that value change; spacing, key order, escapes
 * and numbers stay. Returns `undefined` if the bytes are not a JSON object with a `timestamp`.
 */
export function restamp(body: Uint8Array, instant: number): Uint8Array | undefined {
  let text: string;
  try {
    text = decodeUtf8(body);
    JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!text.trimStart().startsWith("{")) return undefined;
  const walked = readMembers(text);
  const span = "members" in walked ? walked.members.get("timestamp") : undefined;
  if (span === undefined) return undefined;
  const stamped = JSON.stringify(formatTimestamp(instant));
  const changed = Buffer.from(text.slice(0, span.start) + stamped + text.slice(span.end), "utf8");
  return hasByteOrderMark(body) ? Buffer.concat([body.subarray(0, 3), changed]) : changed;
}
