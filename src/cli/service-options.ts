import type { Command } from "commander";
import { HookporterError } from "../errors.ts";
import { isTyped } from "./config.ts";
import { readVariableName } from "./values.ts";

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

/**
 * Refuses what is typed and would do nothing; a setting may well be there for other commands.
 *
 * @throws HookporterError `usage`
 */
export function refuseWithoutSubscribe(command: Command, subscribe: boolean | undefined): void {
  if (subscribe === true) return;
  const flags = ["baseUrl", "apiKeyEnv", "live", "plainHttp"];
  const typed = command.options.find((option) => {
    return flags.includes(option.attributeName()) && isTyped(command, option.attributeName());
  });
  if (typed !== undefined)
    throw new HookporterError(
      "usage",
      `expected --subscribe beside ${typed.long}, which means nothing without it`,
    );
}
