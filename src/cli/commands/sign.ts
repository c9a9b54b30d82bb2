import { DEFAULT_ENDPOINT } from "../../http/default-endpoint.ts";
import type { CliCommand } from "../cli-command.ts";
import type { CliContext } from "../context.ts";
import { addSecretOptions } from "../secrets/secret-options.ts";

export function registerSign(program: CliCommand, context: CliContext): void {
  const command = program
    .command("sign")
    .description("print the signature of a body")
    .argument("[file]", "file with the body; standard input if omitted or -")
    .option("--header", "print the whole header line, for curl -H")
    .signatureHeader("option");
  addSecretOptions(command, "option")
    .addHelpText(
      "after",
      `\nExample:\n  curl -H "$(hookporter sign body.json --header)" \\\n    --data-binary @body.json ${DEFAULT_ENDPOINT}`,
    )
    .action(async (file, options) =>
      (await import("../sign/sign.ts")).runSign(file, options, context),
    );
}
