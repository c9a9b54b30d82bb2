/** Whether the digits of a digest fit what a case needs. */
export type DigestForm = (hex: string) => boolean;

/**
 * Digests that programs with a fault in their hex treat like all others: no zero before or behind,
 * none in front of a byte, and not negative as a signed number. 1 in 18 is like that.
 */
export const PLAIN: DigestForm = (hex) => /^[1-7].*[1-9a-f]$/.test(hex) && !hasLowByte(hex);

/** The first digit is 0, the second is not. */
export const BEGINS_WITH_0: DigestForm = (hex) =>
  /^0[1-9a-f]/.test(hex) && PLAIN(`1${hex.slice(1)}`);

/** The first byte is 0, the second has two digits. */
export const BEGINS_WITH_00: DigestForm = (hex) => /^00[1-9a-f].*[1-9a-f]$/.test(hex);

/** A byte inside has only one digit without its zero, and none is 0. */
export const LOW_BYTE: DigestForm = (hex) =>
  /^[1-7].*[1-9a-f]$/.test(hex) && hasLowByte(hex) && !ZEROS.test(hex);

/** A byte inside is 0, all others have two digits. */
export const ZERO_BYTE: DigestForm = (hex) =>
  /^[1-7].*[1-9a-f]$/.test(hex) && ZEROS.test(hex) && PLAIN(hex.replace(ZEROS, "$<before>11"));

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
