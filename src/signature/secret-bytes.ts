import { ConfigurationError } from "../base/errors.ts";
import { TextDecoder, TextEncoder } from "../base/text/text-coders.ts";
import { trimEndOf } from "../base/text/trim-end.ts";

/** One secret: a string, used as UTF-8, or bytes. */
export type SecretValue = string | Uint8Array;

/**
 * The signing secret: one value, a list for rotation (the first is the current one), or a function
 * that returns either. The function is called once per delivery, so a rotated secret needs no
 * restart.
 */
export type SecretOption =
  | SecretValue
  | readonly SecretValue[]
  | (() => SecretValue | readonly SecretValue[]);

/** A shorter secret can be guessed. */
export const SAFE_BYTES = 16;
const PLACEHOLDER = /^(?:change[-_ ]?me|secret|password|test|example|todo|your[-_ ].*|x+|<.*>)$/i;

/**
 * The bytes of a secret: a string as UTF-8, without a newline at its end. Warns about a placeholder
 * or a short secret.
 *
 * @param which - how a message names it, such as `the secret`
 * @throws ConfigurationError `secret_empty`, since an empty key would sign without any warning
 */
export function secretBytes(
  value: SecretValue,
  which: string,
  warn: (message: string) => void,
): Uint8Array {
  const bytes =
    typeof value === "string" ? new TextEncoder().encode(trimNewline(value, which, warn)) : value;
  if (new TextDecoder().decode(bytes).trim() === "")
    throw new ConfigurationError(
      "secret_empty",
      `expected ${which} not to be empty, got only white space or nothing: set it to the subscription's secret`,
    );
  if (typeof value === "string" && isPlaceholder(value)) {
    warn(`${which} looks like a placeholder, which anyone can guess: use a random one`);
  } else if (bytes.byteLength < SAFE_BYTES)
    warn(`${which} has only ${bytes.byteLength} bytes: use at least ${SAFE_BYTES} random ones`);
  return bytes;
}

/** Whether a text stands where a secret should, such as `changeme`. */
export function isPlaceholder(text: string): boolean {
  return PLACEHOLDER.test(text.trim());
}

function trimNewline(value: string, which: string, warn: (message: string) => void): string {
  const trimmed = trimEndOf(value, "\r\n");
  if (trimmed !== value)
    warn(`${which} ended in a newline, which was removed: store it without one`);
  return trimmed;
}
