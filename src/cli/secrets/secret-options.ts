import type { CliCommand } from "../cli-command.ts";
import { SECRET_VARIABLE } from "../project/secret-variables.ts";
import { readChoice, readVariableNames } from "../settings/values.ts";
import { DEFAULT_ENCODING, SECRET_ENCODINGS, type SecretEncoding } from "./encoding.ts";

export interface SecretOptions {
  readonly secretEnv?: readonly string[];
  readonly envFile?: string;
  readonly secretStdin?: boolean;
  /** How the text of a secret is decoded. Default `utf8`. */
  readonly secretEncoding?: SecretEncoding;
}

/** Adds the options that locate the secret; none of them takes the secret itself. */
export function addSecretOptions(
  command: CliCommand,
  encoding: "option" | "setting" = "setting",
): CliCommand {
  return addSecretVariables(command, encoding).option(
    "--secret-stdin",
    "read the secret from standard input",
  );
}

/** As `addSecretOptions`, for a command that reads no secret from standard input. */
export function addSecretVariables(
  command: CliCommand,
  encoding: "option" | "setting" = "setting",
): CliCommand {
  command
    .common(
      "--secret-env <names>",
      `environment variables that hold the secrets, current one first (default: ${SECRET_VARIABLE})`,
      readVariableNames,
    )
    .setting(
      "--env-file <file>",
      "file to read variables from if they are not set (default: .env)",
    );
  const description = `how secrets are encoded: ${SECRET_ENCODINGS.join(", ")} (default: ${DEFAULT_ENCODING})`;
  return command[encoding](
    "--secret-encoding <encoding>",
    description,
    readChoice(SECRET_ENCODINGS),
  );
}
