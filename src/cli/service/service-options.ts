import type { CliCommand } from "../cli-command.ts";
import type { OptionConflicts } from "../settings/fitting.ts";
import { readVariableName } from "../settings/values.ts";

export interface ServiceOptions {
  readonly baseUrl?: string;
  readonly apiKeyEnv?: string;
  readonly accessTokenEnv?: string;
  readonly live?: boolean;
  readonly envFile?: string;
}

export const SERVICE_FITS = {
  accessTokenEnv: { excludes: ["apiKeyEnv"], why: "a request carries only one of them" },
} as const satisfies OptionConflicts<ServiceOptions>;

/**
 * Adds the options that locate the service and its API key or access token; none of them takes the
 * key itself.
 */
export function addServiceOptions(command: CliCommand): CliCommand {
  return command
    .option("--base-url <url>", "base URL of the service, without the version")
    .setting(
      "--api-key-env <name>",
      "environment variable that holds the API key (default: HOOKPORTER_API_KEY)",
      readVariableName,
    )
    .setting(
      "--access-token-env <name>",
      "environment variable that holds an OAuth access token, to use instead of an API key; read once, at the start",
      readVariableName,
    )
    .option("--live", "allow a live key, which gives access to real data");
}
