import type { Secret } from "../signature/secrets.ts";
import { SIGNATURE_PREFIX, sign } from "../signature/sign.ts";

/** Hex digits of a right digest that may be shown for an unauthentic delivery: enough to compare, far too few to forge. */
const SHOWN_DIGITS = 8;

/** How the right digest of a delivery begins under one secret. */
export interface DigestStart extends Pick<Secret, "role" | "fingerprint"> {
  /** 8 hex digits. */
  readonly start: string;
}

/** How a body's digest begins under each secret. */
export function digestStarts(body: Uint8Array, secrets: readonly Secret[]): readonly DigestStart[] {
  return secrets.map(({ key, role, fingerprint }) => {
    const start = sign(body, key).slice(SIGNATURE_PREFIX.length).slice(0, SHOWN_DIGITS);
    return { role, fingerprint, start };
  });
}
