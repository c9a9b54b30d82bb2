import { REPORT_FORMATS } from "../../check/check-result.ts";
import type { CliCommand } from "../cli-command.ts";
import type { CliContext } from "../context.ts";
import { addHeaderOptions } from "../handlers/request-options.ts";
import { readOrderPath } from "../handlers/values.ts";
import { addSecretOptions } from "../secrets/secret-options.ts";
import {
  CHECK_MAX_TIME,
  CHECK_SETTLE,
  CHECK_TIMEOUT,
  shownDuration,
} from "../settings/default-values.ts";
import {
  commaList,
  readChoice,
  readEndpoint,
  reader,
  readRate,
  readTimeout,
  wholeNumber,
} from "../settings/values.ts";

export function registerCheck(program: CliCommand, context: CliContext): void {
  const command = program
    .command("check")
    .description(
      "check whether a receiver, in any language, handles signatures and deliveries correctly",
    )
    .argument(
      "[url]",
      "endpoint of the receiver; a bare port means /webhooks on this machine",
      readEndpoint,
    )
    .common(
      "--only <cases>",
      "run only these cases or groups, such as SIG,BODY-12; may be repeated",
      readCases,
    )
    .common("--skip <cases>", "skip these cases or groups; may be repeated", readCases)
    .common("--list", "list the cases without running them")
    .common("--yes", "allow a receiver that is not on this machine")
    .common("--strict", "also fail if a recommended case fails")
    .common("--verbose", "show every case, including those that passed")
    .common(
      "--format <format>",
      "report format: pretty, json, junit, github or markdown (default: pretty)",
      readChoice(REPORT_FORMATS),
    )
    .common("--output <file>", "write the report to this file, and print the pretty one")
    .common(
      "--observe <what>",
      "command or URL that reports how often an event ran; {marker} is replaced by its data.id",
    )
    .common(
      "--event <file>",
      "send this event in place of a sample; it runs as a real one, and only its timestamp changes",
    )
    .option(
      "--vary <path>",
      "with --event, another field to change, such as data.id",
      readOrderPath,
    );
  addHeaderOptions(command, "request", "STAGING_TOKEN")
    .option("--insecure", "accept any certificate, such as a self-signed one")
    .common(
      "--max-time <duration>",
      `end the run with a report after this time (default: ${shownDuration(CHECK_MAX_TIME)})`,
      readTimeout,
    )
    .common("--rate <n>", "maximum requests per second (default: no limit)", readRate)
    .common(
      "--timeout <duration>",
      `how long to wait for each response (default: ${shownDuration(CHECK_TIMEOUT)})`,
      readTimeout,
    )
    .common(
      "--wait <duration>",
      "before the run, wait this long for the receiver to answer at all (default: not)",
      readTimeout,
    )
    .setting(
      "--settle <duration>",
      `with --observe, how long to watch for a late second run (default: ${shownDuration(CHECK_SETTLE)})`,
      readTimeout,
    )
    .setting(
      "--concurrency <n>",
      "cases to run at a time, at most 16 (default: 1)",
      wholeNumber(1, 16),
    )
    .signatureHeader("option");
  addSecretOptions(command, "option")
    .example("hookporter check http://localhost:3000/webhooks --skip TIME")
    .action(async (url, options) =>
      (await import("../check/check.ts")).runCheckCommand(url, options, context),
    );
}

const readCases = commaList(
  reader("cases or groups such as SIG,BODY-12; --list shows all", (part) =>
    /^[A-Z]+(?:-\d+)?$/i.test(part) ? part.toUpperCase() : undefined,
  ),
);
