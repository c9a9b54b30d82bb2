/**
 * The service's signature header, under a neutral name (service description, "Authentication" 6).
 * An option everywhere.
 */
export const SIGNATURE_HEADER = "x-service-signature";

/** The prefix of the header's value. */
export const SIGNATURE_PREFIX = "sha256=";

/**
 * Why a delivery is not authentic, with the fix. For the local log and live view only; the sender
 * never sees it.
 */
export const SIGNATURE_REASONS = {
  signature_missing: {
    meaning: "the delivery has no signature header",
    fix: "sign it, or set the signature header's name to the one the sender uses",
  },
  signature_malformed: {
    meaning: "the signature header is not `sha256=` and 64 lowercase hex digits",
    fix: "send exactly one header in that format: no other prefix, no upper case, no spaces",
  },
  signature_mismatch: {
    meaning: "the signature does not match these bytes under any configured secret",
    fix: "compare the secret with the subscription's, and check that nothing changes the body on the way",
  },
} as const;

/** One of the stable signature reasons. */
export type SignatureReason = keyof typeof SIGNATURE_REASONS;

const SIGNATURE = /^sha256=([0-9a-f]{64})$/;

/** The hex digits of a header's value, or why it has none. */
export type ReadSignature =
  | { readonly ok: true; readonly hex: string }
  | { readonly ok: false; readonly reason: SignatureReason };

/**
 * Reads the value of a signature header (service description, "Authentication" 6). Matches the text
 * against a pattern, since hex decoding silently stops at the first bad digit. Runs on any runtime.
 */
export function readSignature(header: string | readonly string[] | undefined): ReadSignature {
  // The type excludes `null`, but plain JavaScript may pass it.
  if (header === undefined || header === null || header.length === 0)
    return { ok: false, reason: "signature_missing" };
  if (typeof header !== "string") return { ok: false, reason: "signature_malformed" };
  if (header.trim() === "") return { ok: false, reason: "signature_missing" };
  const hex = SIGNATURE.exec(header)?.[1];
  return hex === undefined ? { ok: false, reason: "signature_malformed" } : { ok: true, hex };
}
