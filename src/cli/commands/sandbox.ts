import { type Command, InvalidArgumentError } from "commander";
import { isHostPattern } from "../../sandbox/target-hosts.ts";
import type { CliContext } from "../context.ts";
import type { SandboxCommandOptions } from "../sandbox/sandbox.ts";
import {
  isPastedKey,
  readCount,
  readDuration,
  readDurationRange,
  readHeaderName,
  readPort,
  readSeed,
  readShare,
  readVariableName,
} from "../settings/values.ts";

/** `sandbox`: the service, simulated. */
export function registerSandbox(program: Command, context: CliContext): void {
  const command = program
    .command("sandbox")
    .description("start the service, simulated: its API, and deliveries that are signed and retried")
    .option("--port <n>", "port on 127.0.0.1; 0 for a free one (default: 4500)", readPort)
    .option("--properties <n>", "properties in the portfolio (default: 25)", readSeed)
    .option("--seed <n>", "seed of the portfolio and of all that goes wrong (default: 1)", readSeed)
    .option(
      "--only-key-env <name>",
      "environment variable that holds the one API key to take (default: any test key)",
      readVariableName,
    )
    .option("--env-file <file>", "file to look the variable up in when it is not set (default: .env)")
    .option("--rate-limit <n>", "requests per minute and key, or none (default: 600)", readLimit)
    .option("--retry <waits>", "waits between attempts, or none (default: 1s,5s,30s,2m,10m)", readWaits)
    .option(
      "--answer-timeout <duration>",
      "how long an endpoint may take to answer (default: 10s)",
      readDuration,
    )
    .option(
      "--target-hosts <hosts>",
      "hosts besides this machine that it may deliver to, such as *.example.com; may be repeated",
      readHosts,
    )
    .option(
      "--signature-header <name>",
      "name of the signature header (default: x-service-signature)",
      readHeaderName,
    );
  addChaos(command)
    .option("--page-parameter <name>", "query parameter that selects the page (default: page)")
    .option("--per-page-parameter <name>", "query parameter that selects its size (default: per_page)")
    .option("--fields-separator <text>", "what stands between the names of fields (default: ,)")
    .addHelpText(
      "after",
      "\nExample:\n  hookporter sandbox --duplicates 20% --wrong-signature 10% --outage 30s",
    )
    .action(async (options: SandboxCommandOptions) =>
      (await import("../sandbox/sandbox.ts")).runSandbox(options, context),
    );
}

/** What goes wrong on purpose. */
function addChaos(command: Command): Command {
  return command
    .option(
      "--duplicates <share>",
      "part of the deliveries that are sent twice, such as 20% (default: 0)",
      readShare,
    )
    .option("--reorder <share>", "part of them that wait for another to go first (default: 0)", readShare)
    .option("--delay <range>", "wait before each, such as 0..2s", readDurationRange)
    .option(
      "--wrong-signature <share>",
      "part of the attempts that are signed wrongly (default: 0)",
      readShare,
    )
    .option("--burst <n>", "gather so many deliveries and send them at once (default: 1)", readCount)
    .option(
      "--outage <duration>",
      "let nothing through for so long, from the first attempt on",
      readDuration,
    );
}

/** Names of hosts with a comma between; given again, it adds to what was given before. */
function readHosts(text: string, before: readonly string[] = []): readonly string[] {
  const hosts = text.split(",").map((part) => part.trim());
  if (hosts.every((host) => isHostPattern(host) && !isPastedKey(host))) return [...before, ...hosts];
  throw new InvalidArgumentError("expected names of hosts, such as example.com, *.example.com or *.");
}

/** A number per minute; `none` for no limit. */
function readLimit(text: string): number {
  return text.trim() === "none" ? Number.POSITIVE_INFINITY : readCount(text);
}

/** Durations with a comma between; `none` for none. Given again, it adds to what was given before. */
function readWaits(text: string, before: readonly number[] = []): readonly number[] {
  if (text.trim() !== "none") return [...before, ...text.split(",").map(readDuration)];
  if (before.length === 0) return [];
  throw new InvalidArgumentError("expected none alone, or durations.");
}
