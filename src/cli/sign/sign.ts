import { sign } from "../../signature/sign.ts";
import { SIGNATURE_HEADER } from "../../signature/signature-format.ts";
import type { CliContext } from "../context.ts";
import { readInput, refuseTwoInputs } from "../files/read-input.ts";
import type { SecretOptions } from "../secrets/secret-options.ts";
import { findSigningKey } from "../service/signing-key.ts";

export interface SignOptions extends SecretOptions {
  readonly signatureHeader?: string;
  readonly header?: boolean;
}

/** `sign [file]`: prints the signature of a body. */
export async function runSign(file: string | undefined, options: SignOptions, context: CliContext) {
  const { io, output } = context;
  refuseTwoInputs(file, options);
  const { current } = await findSigningKey(options, context);
  const body = await readInput(io, file);
  const signature = sign(body, current.key);
  const header = options.signatureHeader ?? SIGNATURE_HEADER;
  output.data(options.header === true ? `${header}: ${signature}` : signature);
  const { fingerprint: secretFingerprint } = current;
  output.record("signature", { header, signature, bytes: body.byteLength, secretFingerprint });
}
