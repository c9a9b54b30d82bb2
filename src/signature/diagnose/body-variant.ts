import type { Cause } from "./causes.ts";

/** A body as it may have been when it was signed, and the causes that turn it into the received one. */
export interface BodyVariant {
  readonly causes: readonly Cause[];
  /** Makes the bytes; returns `undefined` if they would be far longer than the body. */
  readonly bytes: () => Uint8Array | undefined;
  /** The work to make them; hashing one byte is 1. */
  readonly work: number;
}

/** The work to read and reprint one token; hashing one byte is 1. */
export const TOKEN_WORK = 300;

/** Creates a variant whose bytes are available or cheap to make. */
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
