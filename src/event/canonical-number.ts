const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * Returns the same text for numbers with the same exact decimal value, and different texts otherwise: `1`, `1.0` and
 * `10e-1` agree; `12345678901234567890` and `…891` do not. Works on the original digits, since parsing would round both
 * to the same number. Returns a text that is not a number, such as `true`, as it is.
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
