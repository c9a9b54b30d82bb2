import type { CliCommand } from "../cli-command.ts";
import type { CliContext } from "../context.ts";
import { addSecretOptions } from "../secrets/secret-options.ts";

export function registerVerify(program: CliCommand, context: CliContext): void {
  const command = program
    .command("verify")
    .description("check the signature of a body or a saved delivery, and explain a failure")
    .argument("[file]", "body or saved delivery; standard input if omitted or -")
    .option(
      "--signature <value>",
      "value of the signature header; a saved delivery contains its own",
    )
    .signatureHeader("option");
  addSecretOptions(command, "option")
    .example("hookporter verify body.json --signature sha256=1f0c…")
    .action(async (file, options) =>
      (await import("../sign/verify.ts")).runVerify(file, options, context),
    );
}
