import type { Buffer } from "node:buffer";

// What plain JSON consists of. Each function reads one thing from a position on, and returns the position after it, or
// gives up. At the end of the bytes it may see `undefined`, which is unlike any of them.

/** What a function returns if it gives up. */
export const GIVEN_UP = -1;

/** Bytes of a string that are read one by one, since most strings are short. */
const FEW = 64;

// The characters between values.
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const OPEN_LIST = 0x5b;
export const CLOSE_LIST = 0x5d;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;

const SPACE = 0x20;
const QUOTE = 0x22;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const BACKSLASH = 0x5c;

export function afterSpace(bytes: Buffer, start: number): number {
  let at = start;
  for (; at < bytes.length; at++) {
    const code = bytes[at] as number;
    if (code > SPACE || (code !== SPACE && code !== 0x0a && code !== 0x0d && code !== 0x09)) break;
  }
  return at;
}

/** Reads a string without escapes: byte by byte at first, then four at a time, up to the four that are not all plain. */
export function afterString(bytes: Buffer, start: number): number {
  const near = start + 1 + FEW;
  for (let at = start + 1; at < bytes.length; at++) {
    if (at === near) {
      at = afterPlain(bytes, at);
      if (at === bytes.length) return GIVEN_UP;
    }
    const code = bytes[at] as number;
    if (code === QUOTE) return at + 1;
    if (code < SPACE || code === BACKSLASH) return GIVEN_UP;
  }
  return GIVEN_UP;
}

/**
 * Skips bytes of a string, four at a time, for as long as none of them is a quote, a backslash or a control character.
 * `(x - n) & ~x` has the highest bit of a byte set if that byte is the first one below `n`, which is 1 after an XOR with
 * the byte that is looked for.
 */
function afterPlain(bytes: Buffer, start: number): number {
  const words = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let at = start;
  for (const last = bytes.length - 4; at <= last; at += 4) {
    const word = words.getInt32(at);
    const quote = word ^ 0x22222222;
    const backslash = word ^ 0x5c5c5c5c;
    const found =
      ((word - 0x20202020) & ~word) |
      ((quote - 0x01010101) & ~quote) |
      ((backslash - 0x01010101) & ~backslash);
    if ((found & 0x80808080) !== 0) break;
  }
  return at;
}

/** Reads these bytes. */
export function afterText(bytes: Buffer, start: number, text: Buffer): number {
  const end = start + text.length;
  if (end > bytes.length) return GIVEN_UP;
  for (let at = 0; at < text.length; at++) if (bytes[start + at] !== text[at]) return GIVEN_UP;
  return end;
}

/** Reads a number without an exponent. */
export function afterNumber(bytes: Buffer, start: number): number {
  const whole = bytes[start] === MINUS ? start + 1 : start;
  let at = afterDigits(bytes, whole);
  if (at === whole || (bytes[whole] === ZERO && at > whole + 1)) return GIVEN_UP; // JSON has no leading zeros
  if (bytes[at] === POINT) {
    const fraction = at + 1;
    at = afterDigits(bytes, fraction);
    if (at === fraction) return GIVEN_UP;
  }
  return ((bytes[at] as number) | 0x20) === 0x65 ? GIVEN_UP : at;
}

function afterDigits(bytes: Buffer, start: number): number {
  let at = start;
  while (at < bytes.length && (bytes[at] as number) >= ZERO && (bytes[at] as number) <= NINE) at++;
  return at;
}

/** Whether a number is not written in canonical form: with a fraction, zeros at its end, or as -0. */
export function isOdd(bytes: Buffer, start: number, end: number): boolean {
  if (bytes[end - 1] === ZERO && end - start > 1) return true;
  for (let at = start; at < end; at++) if (bytes[at] === POINT) return true;
  return false;
}

/** Whether a key, from `start` to `end`, is this one. */
export function isKey(bytes: Buffer, start: number, end: number, key: Buffer): boolean {
  return end - start === key.length && afterText(bytes, start, key) !== GIVEN_UP;
}
