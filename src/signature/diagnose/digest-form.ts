import { createHash } from "node:crypto";
import { tryOr } from "../../base/try-or.ts";
import { type Cause, cause } from "./causes.ts";

/**
 * Hash functions used for signatures, ours first, with the number of hex digits in their digests.
 */
export const ALGORITHMS = {
  sha256: 64,
  sha1: 40,
  sha384: 96,
  sha512: 128,
  md5: 32,
  sha224: 56,
} as const;

/** Rarer functions whose digests are as long as those of a usual one. */
const RARE = {
  "sha3-256": 64,
  "sha512-256": 64,
  blake2s256: 64,
  ripemd160: 40,
  "sha3-384": 96,
  "sha3-512": 128,
  blake2b512: 128,
  "sha3-224": 56,
  "sha512-224": 56,
} as const;

export type Algorithm = keyof typeof ALGORITHMS | keyof typeof RARE;

export function algorithmOf(digits: number): keyof typeof ALGORITHMS | undefined {
  const names = Object.keys(ALGORITHMS) as (keyof typeof ALGORITHMS)[];
  return names.find((name) => ALGORITHMS[name] === digits);
}

/** The rarer functions with digests of this length, without those that OpenSSL here lacks. */
function rareAlgorithmsOf(digits: number): readonly Algorithm[] {
  return (Object.keys(RARE) as (keyof typeof RARE)[]).filter(
    (name) => RARE[name] === digits && tryOr(() => createHash(name), undefined) !== undefined,
  );
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

/** The same digest as one of each rarer function. */
export function rareForms({ algorithm, hex, print, causes }: DigestForm): readonly DigestForm[] {
  if (print !== undefined || algorithmOf(hex.length) !== algorithm) return [];
  // Another function with its own prefix is one cause.
  const others = causes.filter(
    ({ code }) => code !== "digest_algorithm" && code !== "prefix_wrong",
  );
  return rareAlgorithmsOf(hex.length).map((name) => ({
    algorithm: name,
    hex,
    causes: [cause("digest_algorithm", name), ...others],
  }));
}
