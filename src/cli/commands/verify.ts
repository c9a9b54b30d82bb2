import type { Command } from "commander";
import type { CliContext } from "../context.ts";
import { addSecretOptions, findSecrets, type SecretOptions } from "../secret.ts";
import { readHeaderName } from "../values.ts";

interface VerifyOptions extends SecretOptions {
  readonly signature?: string;
  readonly signatureHeader?: string;
}

/** `verify [file]`: whether a signature belongs to a body, and if not, why. */
export function registerVerify(program: Command, context: CliContext): void {
  const command = program
    .command("verify")
    .description("check the signature of a body or a saved delivery, and say why it fails")
    .argument("[file]", "a body, or a saved delivery; standard input when left out, or for -")
    .option("--signature <value>", "the signature header's value; a saved delivery brings its own")
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
  ] = await Promise.all([
    import("../read-input.ts"),
    import("../../signature/header.ts"),
    import("../../signature/secrets.ts"),
    import("../../signature/sign.ts"),
    import("../../signature/verify.ts"),
    import("../../relay/fixture.ts"),
  ]);
  const { io, output } = context;
  refuseTwoInputs(file, options);
  const found = await findSecrets(context, options);
  const secrets = readSecrets(found.values, (warning) => output.talk(`warning: ${warning}`));
  const input = await readInput(io, file);

  let body: Uint8Array = input;
  let header: string | readonly string[] | undefined = options.signature;
  if (header === undefined) {
    const saved = parseSaved(input, file ?? "standard input");
    if (saved !== undefined) {
      body = saved.body;
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
  const fix = header === undefined && body === input ? "pass --signature, or name a saved delivery" : general;
  output.data(`invalid: ${reason}: ${meaning} (${bytes} bytes)`);
  output.data(`fix: ${fix}`);
  output.record("verification", { valid: false, bytes, reason, meaning, fix });
  context.exitCode = 4;
}
