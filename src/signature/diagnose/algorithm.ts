/** Hash functions that signatures are made with, ours first, each with the hex digits of its digest. */
export const ALGORITHMS = { sha256: 64, sha1: 40, sha384: 96, sha512: 128 } as const;

/** One of the hash functions. */
export type Algorithm = keyof typeof ALGORITHMS;

/** The hash functions whose digest has so many hex digits. */
export function algorithmOf(digits: number): Algorithm | undefined {
  return (Object.keys(ALGORITHMS) as Algorithm[]).find((name) => ALGORITHMS[name] === digits);
}
