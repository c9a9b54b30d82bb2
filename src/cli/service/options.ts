import type { Command } from "commander";
import { HookporterError } from "../../errors.ts";
import { isTyped } from "../settings/config.ts";
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

/** What of a command needs the service. */
export interface ServiceUse {
  readonly subscribe?: boolean;
  readonly stream?: URL;
}

/**
 * Refuses what is typed and would do nothing; a setting may well be there for other commands.
 *
 * @throws HookporterError `usage`
 */
export function refuseUnusedServiceOptions(command: Command, { subscribe, stream }: ServiceUse): void {
  if (subscribe === true) return;
  const ofSubscribe = ["baseUrl", "plainHttp"];
  const ofBoth = stream === undefined ? ["apiKeyEnv", "live"] : [];
  const typed = command.options.find((option) => {
    const name = option.attributeName();
    return [...ofSubscribe, ...ofBoth].includes(name) && isTyped(command, name);
  });
  if (typed === undefined) return;
  const wanted = ofBoth.includes(typed.attributeName()) ? "--subscribe or --stream" : "--subscribe";
  throw new HookporterError(
    "usage",
    `expected ${wanted} beside ${typed.long}, which means nothing without it`,
  );
}
