import type { Command } from "commander";
import type { DeliveryHeaders } from "../../event/delivery.ts";
import type { Diagnosis } from "../../signature/diagnose/diagnose.ts";
import type { CliContext } from "../context.ts";
import { addSecretOptions, findSecrets, type SecretOptions } from "../secret.ts";
import { readHeaderName } from "../values.ts";

interface VerifyOptions extends SecretOptions {
  readonly signature?: string;
  readonly signatureHeader?: string;
}

/** `verify [file]`: checks the signature of a body, and explains a failure. */
export function registerVerify(program: Command, context: CliContext): void {
  const command = program
    .command("verify")
    .description("check the signature of a body or a saved delivery, and explain a failure")
    .argument("[file]", "body or saved delivery; standard input if omitted or -")
    .option("--signature <value>", "value of the signature header; a saved delivery contains its own")
    .option(
      "--signature-header <name>",
      "name of the signature header (default: x-service-signature)",
      readHeaderName,
    );
  addSecretOptions(command)
    .addHelpText("after", "\nExample:\n  hookporter verify body.json --signature sha256=1f0c…")
    .action((file: string | undefined, options: VerifyOptions) => runVerify(file, options, context));
}

async function runVerify(
  file: string | undefined,
  options: VerifyOptions,
  context: CliContext,
): Promise<void> {
  const [
    { readInput, refuseTwoInputs },
    { readHeader },
    { readSecrets },
    signing,
    verifying,
    { parseSaved },
    { diagnoseSignature },
    { adviceLines, diagnosisFields, diagnosisLines },
    { otherSecrets },
  ] = await Promise.all([
    import("../read-input.ts"),
    import("../../signature/header.ts"),
    import("../../signature/secrets.ts"),
    import("../../signature/sign.ts"),
    import("../../signature/verify.ts"),
    import("../../relay/fixture.ts"),
    import("../../signature/diagnose/diagnose.ts"),
    import("../diagnosis-view.ts"),
    import("../other-secrets.ts"),
  ]);
  const { io, output } = context;
  refuseTwoInputs(file, options);
  const found = await findSecrets(context, options);
  const secrets = readSecrets(found.values, (warning) => output.talk(`warning: ${warning}`));
  const input = await readInput(io, file);

  let body: Uint8Array = input;
  let header: string | readonly string[] | undefined = options.signature;
  let headers: DeliveryHeaders | undefined;
  if (header === undefined) {
    const saved = parseSaved(input, file ?? "standard input");
    if (saved !== undefined) {
      body = saved.body;
      headers = saved.headers;
      header = readHeader(saved.headers, options.signatureHeader ?? signing.SIGNATURE_HEADER);
    }
  }
  const result = verifying.verify(body, header, secrets);
  const bytes = body.byteLength;
  if (result.ok) {
    const { role, fingerprint } = result.secret;
    output.data(`valid: ${bytes} bytes, ${role} secret (fingerprint ${fingerprint})`);
    output.record("verification", { valid: true, bytes, secret: role, secretFingerprint: fingerprint });
    return;
  }
  const { reason } = result;
  const { meaning, fix: general } = verifying.SIGNATURE_REASONS[reason];
  const others = otherSecrets(context, options, found);
  const diagnosis = diagnoseSignature(body, header, secrets, { others, ...(headers && { headers }) });
  const plainBody = header === undefined && headers === undefined;
  const fix = plainBody ? "pass --signature, or a saved delivery" : bestFix(diagnosis, general);
  output.data(`invalid: ${reason}: ${meaning} (${bytes} bytes)`);
  for (const line of plainBody
    ? [`fix: ${fix}`]
    : [...diagnosisLines(diagnosis, general), ...adviceLines(diagnosis)])
    output.data(line);
  if (options.signature !== undefined && isSaved(input, parseSaved))
    output.talk("hint: this file is a saved delivery; omit --signature to check the signature in it");
  const { cause, ...more } = diagnosisFields(diagnosis);
  output.record("verification", { valid: false, bytes, reason, meaning, cause, fix, ...more });
  context.exitCode = 4;
}

function bestFix({ explanations, fix }: Diagnosis, general: string): string {
  return explanations.length > 0 ? fix : general;
}

/** With `--signature`, a saved delivery is verified as if it were a body; the hint above says so. */
function isSaved(input: Uint8Array, parse: (bytes: Uint8Array, name: string) => unknown): boolean {
  try {
    return parse(input, "") !== undefined;
  } catch {
    return false;
  }
}
