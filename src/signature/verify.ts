/**
 * Bytes, a header and secrets come in. Whether a secret signed these bytes goes out, and on demand
 * why none did. No comparison takes a time that depends on a digest.
 */

import { createHmac, timingSafeEqual } from "node:crypto";
import type { Secret } from "./secrets.ts";
import { readSignature, type SignatureReason } from "./signature-format.ts";

export type Verification =
  | { readonly ok: true; readonly secret: Secret }
  | { readonly ok: false; readonly reason: SignatureReason };

/**
 * The two digests under comparison; reused, since a buffer of its own costs more than writing 32
 * bytes.
 */
const given = Buffer.alloc(32);
const expected = Buffer.alloc(32);

/**
 * Checks a signature header against the raw bytes (service description, "Authentication" 6). Its
 * text must be exactly `sha256=` and 64 lowercase hex digits. Compares its 32 bytes with each
 * secret's digest in constant time.
 */
export function verify(
  body: Uint8Array,
  header: string | readonly string[] | undefined,
  secrets: readonly Secret[],
): Verification {
  const signature = readSignature(header);
  if (!signature.ok) return signature;
  given.write(signature.hex, "hex");
  let matched: Secret | undefined;
  for (const secret of secrets) {
    expected.write(createHmac("sha256", secret.key).update(body).digest("binary"), "binary");
    if (timingSafeEqual(given, expected)) matched ??= secret;
  }
  return matched === undefined
    ? { ok: false, reason: "signature_mismatch" }
    : { ok: true, secret: matched };
}
