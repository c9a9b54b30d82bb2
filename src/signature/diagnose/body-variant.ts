import type { Cause } from "./causes.ts";

/** A body as it may have been when it was signed, and the causes that lead from it to the one at hand. */
export interface BodyVariant {
  readonly causes: readonly Cause[];
  /** The bytes, made when they are asked for; `undefined` where they would be far longer than the body. */
  readonly bytes: () => Uint8Array | undefined;
  /** How much work making them is, where hashing a byte is 1. */
  readonly work: number;
}

/** A variant whose bytes are at hand, or quickly made. */
export function variant(
  causes: readonly Cause[],
  bytes: () => Uint8Array | string | undefined,
  work = 0,
): BodyVariant {
  return {
    causes,
    work,
    bytes: () => {
      const made = bytes();
      return typeof made === "string" ? Buffer.from(made, "utf8") : made;
    },
  };
}
