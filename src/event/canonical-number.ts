const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * A JSON number as text that is the same for the same exact decimal value and different for any other: `1`, `1.0` and
 * `10e-1` agree; `12345678901234567890` and `…891` do not. Works on the digits as they came, never on a parsed number,
 * which would round both to one value.
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
