import { tryOr } from "../../base/try-or.ts";
import type { Delivery } from "../../event/delivery.ts";
import { parseSaved } from "../../relay/fixture.ts";
import { diagnoseSignature } from "../../signature/diagnose/diagnose.ts";
import { readHeader } from "../../signature/header.ts";
import { SIGNATURE_HEADER, SIGNATURE_REASONS } from "../../signature/signature-format.ts";
import { verify } from "../../signature/verify.ts";
import type { CliContext } from "../context.ts";
import { readInput, refuseTwoInputs } from "../files/read-input.ts";
import { adviceLines, diagnosisFields, diagnosisLines } from "../live/diagnosis-view.ts";
import { otherSecrets } from "../secrets/other-secrets.ts";
import { findKeys } from "../secrets/secret.ts";
import type { SecretOptions } from "../secrets/secret-options.ts";

export interface VerifyCommandOptions extends SecretOptions {
  readonly signature?: string;
  readonly signatureHeader?: string;
}

/** `verify [file]`: checks the signature of a body, and explains a failure. */
export async function runVerify(
  file: string | undefined,
  options: VerifyCommandOptions,
  context: CliContext,
): Promise<void> {
  const { io, output } = context;
  refuseTwoInputs(file, options);
  const { found, secrets } = await findKeys(options, context);
  const input = await readInput(io, file);

  let body: Uint8Array = input;
  let header: string | readonly string[] | undefined = options.signature;
  let saved: Delivery | undefined;
  if (header === undefined) {
    saved = parseSaved(input, file ?? "standard input");
    if (saved !== undefined) {
      body = saved.body;
      header = readHeader(saved.headers, options.signatureHeader ?? SIGNATURE_HEADER);
    }
  }
  const result = verify(body, header, secrets);
  const bytes = body.byteLength;
  if (result.ok) {
    const { role, fingerprint } = result.secret;
    output.data(`valid: ${bytes} bytes, ${role} secret (fingerprint ${fingerprint})`);
    output.record("verification", {
      valid: true,
      bytes,
      secret: role,
      secretFingerprint: fingerprint,
    });
    return;
  }
  const { reason } = result;
  const { meaning, fix: general } = SIGNATURE_REASONS[reason];
  const others = otherSecrets(context, options, found);
  const diagnosis = diagnoseSignature(body, header, secrets, { ...saved, others });
  const plainBody = header === undefined && saved === undefined;
  const best = diagnosis.explanations.length > 0 ? diagnosis.fix : general;
  const fix = plainBody ? "pass --signature, or a saved delivery" : best;
  const explained = [...diagnosisLines(diagnosis, general), ...adviceLines(diagnosis)];
  output.data(`invalid: ${reason}: ${meaning} (${bytes} bytes)`);
  for (const line of plainBody ? [`fix: ${fix}`] : explained) output.data(line);
  if (options.signature !== undefined && isSaved(input))
    output.talk(
      "hint: this file is a saved delivery; omit --signature to check the signature in it",
    );
  const { cause, ...more } = diagnosisFields(diagnosis);
  output.record("verification", { valid: false, bytes, reason, meaning, cause, fix, ...more });
  context.exitCode = 4;
}

/**
 * With `--signature`, a saved delivery is verified as if it were a body; the hint above says so.
 */
function isSaved(input: Uint8Array): boolean {
  return tryOr(() => parseSaved(input, "") !== undefined, false);
}
