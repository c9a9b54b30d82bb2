import { HookporterError } from "../../base/errors.ts";
import { trimEndOf } from "../../base/text/trim-end.ts";
import type { SecretValue } from "../../signature/secret-bytes.ts";

/**
 * How the text of a secret encodes its bytes; `whsec` is the prefix `whsec_` and base64, as in
 * Standard Webhooks.
 */
export const SECRET_ENCODINGS = ["utf8", "base64", "hex", "whsec"] as const;

export type SecretEncoding = (typeof SECRET_ENCODINGS)[number];

/** The encoding unless `secretEncoding` names another. */
export const DEFAULT_ENCODING = "utf8" satisfies SecretEncoding;

const PREFIX = "whsec_";
const PREFIX_FIX = "set HOOKPORTER_SECRET_ENCODING to whsec";

/**
 * Decodes the text of a secret. A line break at its end does not count. An empty text stays empty,
 * which is refused later.
 *
 * @param name - where the text was found, for the message
 * @throws HookporterError `secret_invalid` if the text is not in this encoding; the message never
 * contains it
 */
export function decodeSecret(text: string, encoding: SecretEncoding, name: string): SecretValue {
  if (encoding === "utf8") return text;
  const line = trimEndOf(text, "\r\n");
  if (line === "") return line;
  const fail = (expected: string, got: string, fix: string) =>
    new HookporterError("secret_invalid", `expected ${name} to ${expected}, got ${got}: ${fix}`);
  if (encoding === "hex") {
    if (/^(?:[0-9a-f]{2})+$/i.test(line)) return Buffer.from(line, "hex");
    throw fail("be hex, two digits per byte", "other text", otherFix(line));
  }
  if (encoding === "base64") {
    if (line.startsWith(PREFIX))
      throw fail("be base64", `text that begins with ${PREFIX}`, PREFIX_FIX);
    const bytes = fromBase64(line);
    if (bytes !== undefined) return bytes;
    throw fail("be base64", "other text", otherFix(line));
  }
  if (!line.startsWith(PREFIX))
    throw fail(
      `begin with ${PREFIX}`,
      "text without it",
      "set HOOKPORTER_SECRET_ENCODING to base64, utf8 or hex",
    );
  const bytes = fromBase64(line.slice(PREFIX.length));
  if (bytes !== undefined) return bytes;
  throw fail(
    `be ${PREFIX} and base64`,
    "other text after the prefix",
    "copy the whole secret again",
  );
}

/** The error for bytes that are no text, which only `utf8` takes as they are. */
export function notText(encoding: SecretEncoding, name: string): HookporterError {
  return new HookporterError(
    "secret_invalid",
    `expected ${name} to contain text in ${encoding}, got bytes that are not UTF-8: ` +
      "set no secretEncoding to use the bytes as they are",
  );
}

/**
 * `undefined` for anything but base64 in one of its two alphabets, with all of its padding or none.
 */
function fromBase64(text: string): Buffer | undefined {
  const [, digits, padding = ""] = /^([A-Za-z0-9+/]*|[\w-]*)(={0,2})$/.exec(text) ?? [];
  if (digits === undefined || digits.length % 4 === 1) return undefined;
  if (padding !== "" && text.length % 4 !== 0) return undefined;
  return Buffer.from(digits, "base64");
}

function otherFix(text: string): string {
  if (text.startsWith(PREFIX)) return PREFIX_FIX;
  return "copy the whole secret again, or set no secretEncoding to use it as text";
}
