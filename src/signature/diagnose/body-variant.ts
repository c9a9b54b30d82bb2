import type { Cause } from "./causes.ts";

/**
 * A body as it may have been when it was signed, and the causes that turn it into the received one.
 */
export interface BodyVariant {
  readonly causes: readonly Cause[];
  /** Makes the bytes; returns `undefined` if they would be far longer than the body. */
  readonly bytes: () => Uint8Array | undefined;
  /**
   * Whether it is JSON that was read and printed again, which takes longer than any other change.
   */
  readonly isPrinted: boolean;
}

/** Creates a variant whose bytes are made when they are tried. */
export function variant(
  causes: readonly Cause[],
  bytes: () => Uint8Array | string | undefined,
  isPrinted = false,
): BodyVariant {
  return {
    causes,
    isPrinted,
    bytes: () => {
      const made = bytes();
      return typeof made === "string" ? Buffer.from(made, "utf8") : made;
    },
  };
}
