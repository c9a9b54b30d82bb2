import { isBytes } from "../base/guards.ts";
import type { Envelope } from "../event/envelope.ts";
import type { SecretValue } from "../signature/secret-bytes.ts";
import { readSecrets } from "../signature/secrets.ts";
import { sign } from "../signature/sign.ts";
import { SIGNATURE_HEADER } from "../signature/signature-format.ts";

/** How to sign a request. */
export interface SigningOptions {
  /** The subscription's secret; must not be empty. */
  readonly secret: SecretValue;
  /** Default `x-service-signature`. */
  readonly signatureHeader?: string;
}

/** A delivery as sent over HTTP; pass it to `fetch(url, request)`. */
export interface SignedRequest {
  readonly method: "POST";
  /** `content-type` and the signature. */
  readonly headers: Record<string, string>;
  /** Exactly the bytes that were signed. */
  readonly body: Buffer & { readonly buffer: ArrayBuffer };
}

/**
 * Creates a request as the service would send it: an envelope as JSON, or bytes unchanged, with a
 * signature (service description, "Authentication" 6). Pass bytes to test a body that is not an
 * envelope; change `body` afterwards to make the signature invalid.
 *
 * @throws ConfigurationError `secret_missing`, `secret_empty`
 *
 * @example
 * ```ts
 * import { sampleEvent, signedRequest } from "hookporter/testing";
 *
 * const request = signedRequest(sampleEvent("payment.received"), { secret: "the-receivers-secret" });
 * await fetch("http://127.0.0.1:4400/webhooks", request);
 * ```
 */
export function signedRequest(
  content: Envelope | Uint8Array,
  options: SigningOptions,
): SignedRequest {
  const { secret, signatureHeader = SIGNATURE_HEADER } = options;
  const body = isBytes(content) ? Buffer.from(content) : Buffer.from(JSON.stringify(content));
  const [usable] = readSecrets(secret);
  const headers = {
    "content-type": "application/json",
    [signatureHeader.toLowerCase()]: sign(body, usable?.key ?? secret),
  };
  return { method: "POST", headers, body };
}
