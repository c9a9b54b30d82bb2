import type { Command } from "commander";
import { readVariableName } from "../settings/values.ts";

/** The options of a command that talks to the service. */
export interface ServiceOptions {
  readonly baseUrl?: string;
  readonly apiKeyEnv?: string;
  readonly live?: boolean;
  readonly plainHttp?: boolean;
  readonly envFile?: string;
}

/** Adds the options that say where the service is and where the key to it is; none of them takes the key itself. */
export function addServiceOptions(command: Command): Command {
  return command
    .option("--base-url <url>", "address of the service, without the version")
    .option(
      "--api-key-env <name>",
      "environment variable that holds the API key (default: HOOKPORTER_API_KEY)",
      readVariableName,
    )
    .option("--live", "allow a live key, which opens real data")
    .option("--plain-http", "allow plain http to another machine, for a test key");
}
