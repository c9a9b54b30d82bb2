import { isHostPattern } from "../../service/sandbox/local-only.ts";
import type { CliCommand } from "../cli-command.ts";
import type { CliContext } from "../context.ts";
import {
  isPastedKey,
  listOf,
  readCount,
  readDuration,
  readDurationRange,
  readPort,
  readSeed,
  readShare,
  wholeNumber,
} from "../settings/values.ts";

export function registerSandbox(program: CliCommand, context: CliContext): void {
  const command = program
    .command("sandbox")
    .description("run a simulated service: its API, and signed deliveries with retries")
    .common("--port <n>", "port on 127.0.0.1, or 0 for any free port (default: 4500)", readPort)
    .common("--properties <n>", "number of properties in the portfolio (default: 25)", readSeed)
    .common(
      "--seed <n>",
      "random seed for the portfolio and for the faults below (default: 1)",
      readSeed,
    )
    .setting(
      "--rate-limit <n>",
      "requests per minute and API key, or none (default: 600)",
      readLimit,
    )
    .setting("--attempts <n>", "attempts per delivery, the first included (default: 6)", readCount)
    .setting(
      "--retry-delay <duration>",
      "delay before the second attempt; each further one is 5 times as long, up to 10m (default: 1s)",
      readDuration,
    )
    .setting(
      "--answer-timeout <duration>",
      "how long an endpoint may take to answer (default: 10s)",
      readDuration,
    )
    .setting(
      "--target-hosts <hosts>",
      "other hosts that it may deliver to, such as *.example.com; may be repeated (default: this machine only)",
      readHosts,
    )
    .signatureHeader();
  addChaos(command)
    .example("hookporter sandbox --duplicates 20% --wrong-signature 10% --outage 30s")
    .action(async (options) =>
      (await import("../sandbox/sandbox.ts")).runSandbox(options, context),
    );
}

function addChaos(command: CliCommand): CliCommand {
  return command
    .common(
      "--duplicates <share>",
      "share of deliveries to send twice, such as 20% (default: 0)",
      readShare,
    )
    .setting("--delay <range>", "delay before each delivery, such as 0..2s", readDurationRange)
    .common(
      "--wrong-signature <share>",
      "share of attempts to send with a wrong signature (default: 0)",
      readShare,
    )
    .common(
      "--outage <duration>",
      "let nothing through for this long, starting with the first attempt",
      readDuration,
    );
}

const readHosts = listOf(
  (host) => isHostPattern(host) && !isPastedKey(host),
  "host names such as example.com, *.example.com or *",
);

const readRequests = wholeNumber(1, 1_000_000, "none, or a whole number from 1 to 1000000");

/** Requests per minute; `none` means no limit. */
function readLimit(text: string): number {
  return text.trim() === "none" ? Number.POSITIVE_INFINITY : readRequests(text);
}
readLimit.numbers = "too";
