import type { Cause } from "./causes.ts";

/**
 * Hash functions used for signatures, ours first, with the number of hex digits in their digests.
 */
export const ALGORITHMS = { sha256: 64, sha1: 40, sha384: 96, sha512: 128 } as const;

export type Algorithm = keyof typeof ALGORITHMS;

export function algorithmOf(digits: number): Algorithm | undefined {
  return (Object.keys(ALGORITHMS) as Algorithm[]).find((name) => ALGORITHMS[name] === digits);
}

/** One way to read a header's value: the digest in it, and what is wrong with its format. */
export interface DigestForm {
  readonly causes: readonly Cause[];
  readonly algorithm: Algorithm;
  /** Lowercase hex; only the beginning of the digest if it was cut off. */
  readonly hex: string;
  /** How the digest was printed, if not as two digits for each byte. Then `hex` is all of it. */
  readonly print?: (digest: string) => string;
}
