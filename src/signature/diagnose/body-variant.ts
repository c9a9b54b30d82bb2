import type { Cost } from "./budget.ts";
import type { Cause } from "./causes.ts";

/**
 * A body as it may have been when it was signed, and the causes that turn it into the received one.
 */
export interface BodyVariant {
  readonly causes: readonly Cause[];
  /** Makes the bytes; returns `undefined` if they would be far longer than the body. */
  readonly bytes: () => Uint8Array | undefined;
  /** `printed` for JSON that was read and printed again. */
  readonly cost: Cost;
}

/** Creates a variant whose bytes are made when they are tried. */
export function variant(
  causes: readonly Cause[],
  bytes: () => Uint8Array | string | undefined,
  cost: Cost = "changed",
): BodyVariant {
  return {
    causes,
    cost,
    bytes: () => {
      const made = bytes();
      return typeof made === "string" ? Buffer.from(made, "utf8") : made;
    },
  };
}
