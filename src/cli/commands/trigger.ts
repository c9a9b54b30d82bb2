import { HookporterError } from "../../base/errors.ts";
import { eventKinds } from "../../event/kinds.ts";
import type { CliCommand } from "../cli-command.ts";
import type { CliContext } from "../context.ts";
import { addSecretOptions } from "../secrets/secret-options.ts";
import { addChaosOptions } from "../send/chaos-options.ts";
import { readCount, readTimeout, wholeNumber } from "../settings/values.ts";

export function registerTrigger(program: CliCommand, context: CliContext): void {
  const command = program
    .command("trigger")
    .description("create a sample event, sign it and send it")
    .argument("[kind]", `one of ${eventKinds.join(", ")}, or a family such as payment.*`)
    .common("--all", "send one event of each kind")
    .option("--unknown-kind", "allow a kind other than the 12 known ones")
    .endpointUrl()
    .common(
      "--set <path=value>",
      "set a value in the envelope, such as data.amount=1200; may be repeated",
      readAssignment,
    )
    .common(
      "--data <json>",
      "JSON object to send as data; @file reads it from a file, @- from standard input",
    )
    .setting(
      "--shapes <file>",
      "make up data that fits this shape file of `types` (default: src/schemas.shape.json if there is one)",
    )
    .option("--no-shapes", "send the built-in samples even if there is a shape file")
    .common(
      "--count <n>",
      "number of events to send, each with a different timestamp (default: 1)",
      readCount,
    )
    .common(
      "--timeout <duration>",
      "how long to wait for each response, and with --wait for all outcomes (default: 30s)",
      readTimeout,
    )
    .option(
      "--expect <status>",
      "status that counts as success in place of 2xx, such as 401 with --tamper; exit 1 for another",
      wholeNumber(100, 599),
    )
    .option(
      "--inbox <inbox>",
      "with --wait: inbox of the endpoint (default: that of the listen or the project's server there)",
    )
    .signatureHeader("option");
  addSecretOptions(addChaosOptions(command))
    .example("hookporter trigger payment.received --set data.amount=1200 --duplicate 2")
    .action(async (kind, options) =>
      (await import("../send/trigger.ts")).runTrigger(kind, options, command, context),
    );
}

function readAssignment(text: string, before: readonly { path: string; value: string }[] = []) {
  const at = text.indexOf("=");
  if (at < 1)
    throw new HookporterError("usage", `expected --set path=value, got ${JSON.stringify(text)}`);
  return [...before, { path: text.slice(0, at), value: text.slice(at + 1) }];
}
readAssignment.list = true;
