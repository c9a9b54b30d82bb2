import type { Command } from "commander";
import type { CliContext } from "../context.ts";
import { addSecretOptions } from "../secrets/options.ts";
import { readHeaderName } from "../settings/values.ts";
import type { VerifyOptions } from "../sign/verify.ts";

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
    .action(async (file: string | undefined, options: VerifyOptions) =>
      (await import("../sign/verify.ts")).runVerify(file, options, context),
    );
}
