import { signatureOf, type VerifyOptions } from "../adapters/web/verify.ts";
import { type Diagnosis, diagnoseSignature as search } from "../signature/diagnose/diagnose.ts";
import type { HeaderBag } from "../signature/header.ts";
import type { SecretValue } from "../signature/secret-bytes.ts";
import { readSecrets } from "../signature/secrets.ts";

/** What a diagnosis may use besides the body and the headers. */
export interface DiagnoseOptions extends VerifyOptions {
  /**
   * Secrets set elsewhere that may have been used by mistake, each with a name to show. At most 16
   * are tried.
   */
  readonly others?: readonly { readonly name: string; readonly secret: SecretValue }[] | undefined;
  /** The delivery's target, such as `/webhooks`, to find a URL that was signed too. */
  readonly target?: string | undefined;
  /** The maximum work, in bytes hashed. Default 700 million, about a second. */
  readonly work?: number | undefined;
}

/**
 * Finds out why a signature does not match: which common mistakes in the body, the secret or the
 * header turn a valid signature into this one (service description, "Authentication" 6). A cause is
 * proven by the digest, not guessed. Takes what `verify` takes. It runs in the thread that calls
 * it, in time proportional to the length of the body: milliseconds for most, one to two seconds for
 * 1 MiB. So call it where a person reads the result, and never in a receiver, where anyone could
 * make it work.
 *
 * @throws ConfigurationError `secret_missing`, `secret_empty`
 *
 * @example
 * ```ts
 * import { diagnoseSignature } from "hookporter/testing";
 *
 * const options = { secret: process.env.HOOKPORTER_SECRET };
 * const { code, fix } = diagnoseSignature(Buffer.from("{}"), "sha256=00", options);
 * console.log(`${code}: ${fix}`);
 * ```
 */
export function diagnoseSignature(
  body: Uint8Array,
  headers: HeaderBag | string | null | undefined,
  options: DiagnoseOptions,
): Diagnosis {
  const { secret, others = [], target, work } = options;
  const secrets = readSecrets(typeof secret === "function" ? secret() : secret);
  return search(body, signatureOf(headers, options), secrets, {
    others: others.flatMap(({ name, secret: value }) => {
      const [other] = readSecrets(value);
      return other === undefined ? [] : [{ name, secret: other }];
    }),
    headers: typeof headers === "string" || headers === null ? undefined : headers,
    target,
    work,
  });
}
