import type { Algorithm } from "./algorithm.ts";
import type { Cause } from "./causes.ts";

/** One way to read a header's value: the digest in it, and what is wrong with its format. */
export interface DigestForm {
  readonly causes: readonly Cause[];
  readonly algorithm: Algorithm;
  /** Lowercase hex; only the beginning of the digest if it was cut off. */
  readonly hex: string;
  /** How the digest was printed, if not as two digits for each byte. Then `hex` is all of it. */
  readonly print?: (digest: string) => string;
}
