import type { Command } from "commander";
import type { CliContext } from "../context.ts";
import { addSecretOptions, findSecrets, type SecretOptions } from "../secret.ts";
import { readHeaderName } from "../values.ts";

interface SignOptions extends SecretOptions {
  readonly signatureHeader?: string;
  readonly header?: boolean;
}

/** `sign [file]`: prints the signature of a body. */
export function registerSign(program: Command, context: CliContext): void {
  const command = program
    .command("sign")
    .description("print the signature of a body")
    .argument("[file]", "file with the body; standard input if omitted or -")
    .option("--header", "print the whole header line, for curl -H")
    .option(
      "--signature-header <name>",
      "name of the signature header (default: x-service-signature)",
      readHeaderName,
    );
  addSecretOptions(command)
    .addHelpText(
      "after",
      '\nExample:\n  curl -H "$(hookporter sign body.json --header)" --data-binary @body.json http://127.0.0.1:4400/webhooks',
    )
    .action((file: string | undefined, options: SignOptions) => runSign(file, options, context));
}

async function runSign(file: string | undefined, options: SignOptions, context: CliContext): Promise<void> {
  const [{ readInput, refuseTwoInputs }, { readSecrets }, { SIGNATURE_HEADER, sign }] = await Promise.all([
    import("../read-input.ts"),
    import("../../signature/secrets.ts"),
    import("../../signature/sign.ts"),
  ]);
  const { io, output } = context;
  refuseTwoInputs(file, options);
  const found = await findSecrets(context, options);
  const [secret] = readSecrets(found.values, (warning) => output.talk(`warning: ${warning}`));
  const body = await readInput(io, file);
  if (secret === undefined) return;
  const signature = sign(body, secret.key);
  const header = options.signatureHeader ?? SIGNATURE_HEADER;
  output.data(options.header === true ? `${header}: ${signature}` : signature);
  output.record("signature", {
    header,
    signature,
    bytes: body.byteLength,
    secretFingerprint: secret.fingerprint,
  });
}
