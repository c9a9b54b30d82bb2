import { type Command, InvalidArgumentError } from "commander";
import type { CheckCommandOptions } from "../check/check.ts";
import type { CliContext } from "../context.ts";
import { addSecretOptions } from "../secrets/options.ts";
import { CHECK_TIMEOUT, shownDuration } from "../settings/default-values.ts";
import { readChoice, readCount, readDuration, readEndpoint, readHeaderName } from "../settings/values.ts";

/** `check <url>`: whether a receiver, in any language, treats signatures and deliveries right. */
export function registerCheck(program: Command, context: CliContext): void {
  const command = program
    .command("check")
    .description("check whether a receiver, in any language, treats signatures and deliveries right")
    .argument("[url]", "endpoint of the receiver, or a port on this machine", readEndpoint)
    .option(
      "--only <cases>",
      "run only these cases or groups, such as SIG,BODY-12; may be repeated",
      readCases,
    )
    .option("--skip <cases>", "leave out these cases or groups; may be repeated", readCases)
    .option("--list", "print the cases and run none")
    .option("--yes", "send to a receiver that is not on this machine")
    .option("--strict", "fail when a recommended case fails too")
    .option("--verbose", "show every case on its own, those that passed too")
    .option(
      "--format <format>",
      "form of the report: pretty, json, junit (default: pretty)",
      readChoice(["pretty", "json", "junit"]),
    )
    .option("--output <file>", "write the report to this file, and show the pretty one")
    .option(
      "--observe <what>",
      "command or URL that tells how often an event ran; {marker} stands for its data.id",
    )
    .option(
      "--timeout <duration>",
      `how long to wait for each answer (default: ${shownDuration(CHECK_TIMEOUT)})`,
      readDuration,
    )
    .option("--concurrency <n>", "cases at a time, at most 16 (default: 1)", readConcurrency)
    .option(
      "--signature-header <name>",
      "name of the signature header (default: x-service-signature)",
      readHeaderName,
    );
  addSecretOptions(command)
    .addHelpText("after", "\nExample:\n  hookporter check http://localhost:3000/webhooks --skip TIME")
    .action(async (url: URL | undefined, options: CheckCommandOptions) =>
      (await import("../check/check.ts")).runCheckCommand(url, options, context),
    );
}

/** A comma-separated list of ids and groups, added to those before. */
function readCases(text: string, before: readonly string[] = []): readonly string[] {
  const names = text.split(",").map((part) => part.trim().toUpperCase());
  if (names.every((name) => /^[A-Z]+(?:-\d+)?$/.test(name))) return [...before, ...names];
  throw new InvalidArgumentError("expected cases or groups such as SIG,BODY-12; --list shows all.");
}

function readConcurrency(text: string): number {
  const count = readCount(text);
  if (count <= 16) return count;
  throw new InvalidArgumentError("expected a whole number from 1 to 16.");
}
