import { createHmac, timingSafeEqual } from "node:crypto";
import type { Secret } from "./secrets.ts";

/** Why a delivery is not authentic, with the fix. For the local log and live view only; the sender never sees it. */
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

/** The result of verifying. */
export type Verification =
  | { readonly ok: true; readonly secret: Secret }
  | { readonly ok: false; readonly reason: SignatureReason };

const SIGNATURE = /^sha256=([0-9a-f]{64})$/;

/**
 * Checks a signature header against the raw bytes (service description, "Authentication" 6). Matches the text against a
 * pattern first, since hex decoding silently stops at the first bad digit. Then compares 32 bytes with each secret's
 * digest in constant time.
 *
 * @example
 * ```ts
 * import { readHeader, readSecrets, SIGNATURE_HEADER, verify } from "hookporter";
 *
 * const secrets = readSecrets(process.env.HOOKPORTER_SECRET);
 *
 * export async function isAuthentic(request: Request): Promise<boolean> {
 *   const body = new Uint8Array(await request.arrayBuffer());
 *   return verify(body, readHeader(request.headers, SIGNATURE_HEADER), secrets).ok;
 * }
 * ```
 */
export function verify(
  body: Uint8Array,
  header: string | readonly string[] | undefined,
  secrets: readonly Secret[],
): Verification {
  // The type excludes `null`, but plain JavaScript may pass it.
  if (header === undefined || header === null || header.length === 0)
    return { ok: false, reason: "signature_missing" };
  if (typeof header !== "string") return { ok: false, reason: "signature_malformed" };
  if (header.trim() === "") return { ok: false, reason: "signature_missing" };
  const hex = SIGNATURE.exec(header)?.[1];
  if (hex === undefined) return { ok: false, reason: "signature_malformed" };
  const given = Buffer.from(hex, "hex");
  let matched: Secret | undefined;
  for (const secret of secrets) {
    const expected = createHmac("sha256", secret.key).update(body).digest();
    if (timingSafeEqual(given, expected)) matched ??= secret;
  }
  return matched === undefined ? { ok: false, reason: "signature_mismatch" } : { ok: true, secret: matched };
}
