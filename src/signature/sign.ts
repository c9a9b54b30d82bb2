import { createHmac, type KeyObject } from "node:crypto";
import { SIGNATURE_PREFIX } from "./signature-format.ts";

/**
 * The signature of a body: `sha256=` and the lowercase hex HMAC-SHA256 of its bytes, keyed with the
 * secret (service description, "Authentication" 6).
 *
 * @example
 * ```ts
 * import { SIGNATURE_HEADER, sign } from "hookporter";
 *
 * const secret = process.env.HOOKPORTER_SECRET ?? "";
 * const body = Buffer.from(JSON.stringify({ event: "payment.received" }));
 * await fetch("http://127.0.0.1:4400/webhooks", {
 *   method: "POST",
 *   headers: { "content-type": "application/json", [SIGNATURE_HEADER]: sign(body, secret) },
 *   body,
 * });
 * ```
 */
export function sign(body: Uint8Array, secret: string | Uint8Array | KeyObject): string {
  return SIGNATURE_PREFIX + createHmac("sha256", secret).update(body).digest("hex");
}
