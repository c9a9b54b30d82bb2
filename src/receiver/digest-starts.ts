import type { Secret } from "../signature/secrets.ts";
import { sign } from "../signature/sign.ts";
import { SIGNATURE_PREFIX } from "../signature/signature-format.ts";

/** Hex digits of the correct digest shown for an unauthentic delivery: enough to compare, far too few to forge. */
export const SHOWN_DIGITS = 8;

/** The first digits of a delivery's correct digest under one secret. */
export interface DigestStart extends Pick<Secret, "role" | "fingerprint"> {
  /** 8 hex digits. */
  readonly start: string;
}

/** Returns the first digits of a body's digest under each secret. */
export function digestStarts(body: Uint8Array, secrets: readonly Secret[]): readonly DigestStart[] {
  return secrets.map(({ key, role, fingerprint }) => {
    const start = sign(body, key).slice(SIGNATURE_PREFIX.length).slice(0, SHOWN_DIGITS);
    return { role, fingerprint, start };
  });
}
