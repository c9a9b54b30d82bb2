/** A number that a double does not hold, as it was written, and the steps that lead to it. */
export interface InexactNumber {
  readonly steps: readonly (string | number)[];
  readonly text: string;
}

/** Inexact numbers that are noted. */
export const MAX_INEXACT = 20;

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * Returns the same text for numbers with the same exact decimal value, and different texts
 * otherwise: `1`, `1.0` and `10e-1` agree; `12345678901234567890` and `…891` do not. Works on the
 * original digits, since parsing would round both to the same number. Returns a text that is not a
 * number, such as `true`, as it is.
 */
export function canonicalNumber(lexeme: string): string {
  const match = NUMBER.exec(lexeme);
  if (match === null) return lexeme;
  const [, sign = "", whole = "", fraction = "", exponent] = match;
  const digits = whole + fraction;
  let start = 0;
  while (start < digits.length && digits[start] === "0") start++;
  if (start === digits.length) return "0"; // -0 re-serialises as 0, so it is the same value
  let end = digits.length;
  while (digits[end - 1] === "0") end--;
  const power = BigInt(exponent ?? 0) + BigInt(digits.length - end - fraction.length);
  return `${sign}${digits.slice(start, end)}${power === 0n ? "" : `e${power}`}`;
}

/** A number of this many characters without an exponent is held by a double, whichever it is. */
export const SURE_DIGITS = 15;

/** The digits that `toPrecision` gives at most. */
const MAX_DIGITS = 100;

/**
 * Whether a double holds a number: printed with as many digits, or as few as JavaScript needs, it
 * has the same ones. So `0.1` and the 17 digits that some languages print for it are held;
 * `9007199254740993`, `1e400` and 20 digits of π are not.
 *
 * @param canonical - its canonical form
 */
export function isHeld(lexeme: string, canonical: string): boolean {
  if (lexeme.length <= SURE_DIGITS && !/e/i.test(lexeme)) return true;
  const [number = ""] = canonical.split("e", 1);
  const digits = number.length - (number.startsWith("-") ? 1 : 0);
  const value = Number(lexeme);
  if (digits > MAX_DIGITS || !Number.isFinite(value)) return false;
  return [value.toPrecision(digits), String(value)].some(
    (text) => canonicalNumber(text) === canonical,
  );
}
