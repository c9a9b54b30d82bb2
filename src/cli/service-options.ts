import type { Command } from "commander";
import { HookporterError } from "../errors.ts";
import { isTyped } from "./config.ts";
import { readVariableName } from "./values.ts";

/** The options of a command that calls the service's API. */
export interface ServiceOptions {
  readonly baseUrl?: string;
  readonly apiKeyEnv?: string;
  readonly live?: boolean;
  readonly plainHttp?: boolean;
  readonly envFile?: string;
}

/** Adds the options that locate the service and its API key; none of them takes the key itself. */
export function addServiceOptions(command: Command): Command {
  return command
    .option("--base-url <url>", "base URL of the service, without the version")
    .option(
      "--api-key-env <name>",
      "environment variable that holds the API key (default: HOOKPORTER_API_KEY)",
      readVariableName,
    )
    .option("--live", "allow a live key, which gives access to real data")
    .option("--plain-http", "allow plain HTTP to another machine, with a test key");
}

/** The options that need the service. */
export interface ServiceUse {
  readonly subscribe?: boolean;
  readonly stream?: URL;
}

/**
 * Refuses typed options that would have no effect. Settings are not refused, since other commands may need them.
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
  throw new HookporterError("usage", `expected ${wanted} with ${typed.long}, which has no effect without it`);
}
