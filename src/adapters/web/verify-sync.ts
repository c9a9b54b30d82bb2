import { readEnvelope } from "../../event/read-envelope.ts";
import type { HeaderBag } from "../../signature/header.ts";
import { readSecrets } from "../../signature/secrets.ts";
import { verify } from "../../signature/verify.ts";
import {
  authentic,
  bodyBytes,
  signatureOf,
  unauthorized,
  type VerifiedDelivery,
  type VerifyOptions,
} from "./verify.ts";

/**
 * The same as `verify`, but at once, with Node's own cryptography: for code that cannot wait for a
 * promise.
 *
 * @throws ConfigurationError `secret_missing`, `secret_empty`, `body_already_parsed`
 *
 * @example
 * ```ts
 * import { verifySync } from "hookporter";
 *
 * const { ok, reason } = verifySync(Buffer.from("{}"), "sha256=00", { secret: process.env.HOOKPORTER_SECRET });
 * if (!ok) console.log(reason); // signature_malformed
 * ```
 */
export function verifySync(
  body: Uint8Array | ArrayBuffer,
  headers: HeaderBag | string | null | undefined,
  options: VerifyOptions,
): VerifiedDelivery {
  const bytes = bodyBytes(body);
  const { secret } = options;
  const secrets = readSecrets(typeof secret === "function" ? secret() : secret);
  const verified = verify(bytes, signatureOf(headers, options), secrets);
  if (!verified.ok) return unauthorized(verified.reason);
  const read = readEnvelope(bytes);
  if (!read.ok) return { ok: false, status: 400, ...read.rejection };
  return authentic(read.envelope, read.eventId, verified.secret.role);
}
