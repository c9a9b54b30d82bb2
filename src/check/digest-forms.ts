/** Whether the digits of a digest fit what a case needs. */
export type DigestForm = (hex: string) => boolean;

/**
 * Digests that programs with a fault in their hex treat like all others: no zero before or behind,
 * none in front of a byte, not negative as a signed number, and no character of `sha256=` at either
 * end. 1 in 47 is like that.
 */
export const PLAIN: DigestForm = (hex) => /^[1347].*[1347-9b-f]$/.test(hex) && !hasLowByte(hex);

/** The first digit is in `sha256=`, and so lost with a prefix that is taken for characters. */
export const BEGINS_LIKE_PREFIX: DigestForm = (hex) =>
  /^[256]/.test(hex) && PLAIN(`1${hex.slice(1)}`);

/** The same at the other end. */
export const ENDS_LIKE_PREFIX: DigestForm = (hex) =>
  /[256a]$/.test(hex) && PLAIN(`${hex.slice(0, -1)}1`);

/** The first digit is 0, the second is not. */
export const BEGINS_WITH_0: DigestForm = (hex) =>
  /^0[1-9a-f]/.test(hex) && PLAIN(`1${hex.slice(1)}`);

/** The first byte is 0, the second has two digits. */
export const BEGINS_WITH_00: DigestForm = (hex) => /^00[1-9a-f].*[1347-9b-f]$/.test(hex);

/** A byte inside has only one digit without its zero, and none is 0. */
export const LOW_BYTE: DigestForm = (hex) =>
  /^[1347].*[1347-9b-f]$/.test(hex) && hasLowByte(hex) && !ZEROS.test(hex);

/** A byte inside is 0, all others have two digits. */
export const ZERO_BYTE: DigestForm = (hex) =>
  /^[1347].*[1347-9b-f]$/.test(hex) && ZEROS.test(hex) && PLAIN(hex.replace(ZEROS, "$<before>11"));

/** The last digit is 0, and the last byte is not. */
export const ENDS_IN_0: DigestForm = (hex) =>
  /[1-9a-f]0$/.test(hex) && PLAIN(`${hex.slice(0, -1)}1`);

/**
 * As a signed number the digest is negative. Its first digit is one in decimal, too, as `parseInt`
 * reads it.
 */
export const NEGATIVE: DigestForm = (hex) => /^[89]/.test(hex) && PLAIN(`1${hex.slice(1)}`);

/** The first byte that is 0. */
const ZEROS = /^(?<before>(?:..)*?)00/;

/** Whether a byte is below 0x10. */
function hasLowByte(hex: string): boolean {
  return /^(?:..)*0/.test(hex);
}
