import type { CliCommand } from "../cli-command.ts";
import type { CliContext } from "../context.ts";

export function registerTrust(program: CliCommand, context: CliContext): void {
  const command = program
    .command("trust")
    .description("agree to what this folder's files may widen")
    .example("hookporter trust")
    .action(async () => (await import("../trust/trust.ts")).trust(command, context));
}
