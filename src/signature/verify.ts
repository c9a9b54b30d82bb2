import { timingSafeEqual } from "node:crypto";
import type { Secret } from "./secrets.ts";
import { sign } from "./sign.ts";

/** Why a delivery is not authentic, with the fix. Shown in the local log and live view, never on the wire. */
export const SIGNATURE_REASONS = {
  signature_missing: {
    meaning: "the delivery has no signature header",
    fix: "sign it, or set the signature header's name to the one the sender uses",
  },
  signature_malformed: {
    meaning: "the signature header is not `sha256=` and 64 lowercase hex digits",
    fix: "send exactly one header of that form: no other prefix, no upper case, no spaces",
  },
  signature_mismatch: {
    meaning: "the signature does not belong to these bytes under any configured secret",
    fix: "compare the secret with the subscription's, and check that nothing between changes the body",
  },
} as const;

/** One of the stable reasons. */
export type SignatureReason = keyof typeof SIGNATURE_REASONS;

/** The two ways verifying can end. */
export type Verification =
  | { readonly ok: true; readonly secret: Secret }
  | { readonly ok: false; readonly reason: SignatureReason };

/** Where the two texts are compared: made once, for memory made anew with each delivery costs more than the rest. */
const GIVEN = Buffer.alloc("sha256=".length + 64);
const EXPECTED = Buffer.alloc(GIVEN.byteLength);

const SIGNATURE = /^sha256=[0-9a-f]{64}$/;

/**
 * Checks a signature header against the raw bytes (service description, "Authentication" 6). The form is matched
 * first, so that both texts are of one length; then they are compared in constant time with each secret's.
 */
export function verify(
  body: Uint8Array,
  header: string | readonly string[] | undefined,
  secrets: readonly Secret[],
): Verification {
  // `null` is not in the type, but a header bag of plain JavaScript may hold it.
  if (header === undefined || header === null || header.length === 0)
    return { ok: false, reason: "signature_missing" };
  if (typeof header !== "string") return { ok: false, reason: "signature_malformed" };
  if (header.trim() === "") return { ok: false, reason: "signature_missing" };
  if (!SIGNATURE.test(header)) return { ok: false, reason: "signature_malformed" };
  GIVEN.write(header, "latin1");
  let matched: Secret | undefined;
  for (const secret of secrets) {
    EXPECTED.write(sign(body, secret.key), "latin1");
    if (timingSafeEqual(GIVEN, EXPECTED)) matched ??= secret;
  }
  EXPECTED.fill(0); // the right signature of a body that may not be authentic
  return matched === undefined ? { ok: false, reason: "signature_mismatch" } : { ok: true, secret: matched };
}
