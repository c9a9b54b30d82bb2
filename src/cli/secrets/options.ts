import type { Command } from "commander";
import { readVariableNames } from "../settings/values.ts";

/** Where secrets are looked for. */
export interface SecretOptions {
  readonly secretEnv?: readonly string[];
  readonly envFile?: string;
  readonly secretStdin?: boolean;
}

/** The variable that holds the secret when no other is named. */
export const SECRET_VARIABLE = "HOOKPORTER_SECRET";

/** Adds the options that say where the secret is; none of them takes the secret itself. */
export function addSecretOptions(command: Command): Command {
  return command
    .option(
      "--secret-env <names>",
      `environment variables that hold the secrets, current one first (default: ${SECRET_VARIABLE})`,
      readVariableNames,
    )
    .option("--env-file <file>", "file to look the variables up in when they are not set (default: .env)")
    .option("--secret-stdin", "read the secret from standard input");
}
