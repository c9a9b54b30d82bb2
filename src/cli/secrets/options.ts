import type { Command } from "commander";
import { readVariableNames } from "../settings/values.ts";

/** Where to look for secrets. */
export interface SecretOptions {
  readonly secretEnv?: readonly string[];
  readonly envFile?: string;
  readonly secretStdin?: boolean;
}

/** The variable that holds the secret unless `--secret-env` names another. */
export const SECRET_VARIABLE = "HOOKPORTER_SECRET";

/** Adds the options that locate the secret; none of them takes the secret itself. */
export function addSecretOptions(command: Command): Command {
  return command
    .option(
      "--secret-env <names>",
      `environment variables that hold the secrets, current one first (default: ${SECRET_VARIABLE})`,
      readVariableNames,
    )
    .option("--env-file <file>", "file to read variables from if they are not set (default: .env)")
    .option("--secret-stdin", "read the secret from standard input");
}
