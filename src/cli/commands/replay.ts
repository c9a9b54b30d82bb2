import type { CliCommand } from "../cli-command.ts";
import type { CliContext } from "../context.ts";
import { addSecretOptions } from "../secrets/secret-options.ts";
import { addChaosOptions } from "../send/chaos-options.ts";
import { DEFAULT_INBOX_HELP } from "../settings/default-values.ts";
import { readTimeout } from "../settings/values.ts";

export function registerReplay(program: CliCommand, context: CliContext): void {
  const command = program
    .command("replay")
    .description("send saved deliveries, envelopes or inbox entries again, in the order given")
    .argument(
      "<what...>",
      "files, folders of .json files, event ids, entry numbers, or - for standard input",
    )
    .common(
      "--exact",
      "send the same bytes and signature (default: set the timestamp to now and sign again)",
    )
    .common(
      "--resume",
      "send only what an earlier run with the same arguments did not get a 2xx answer for",
    )
    .endpointUrl()
    .common(
      "--handlers <path>",
      "run the handlers in this file or folder, in this process, instead of sending",
    )
    .common(
      "--inbox <inbox>",
      `inbox of entries, and with --wait of the endpoint (default: ${DEFAULT_INBOX_HELP})`,
    )
    .common(
      "--timeout <duration>",
      "how long to wait for each response or handler, and with --wait for all outcomes (default: 30s)",
      readTimeout,
    )
    .signatureHeader();
  addSecretOptions(
    addChaosOptions(command, {
      failFastHelp: "the first file that is not valid, and ",
      delayDeclaredAs: "setting",
    }),
  )
    .example("hookporter replay fixtures/ --exact --url http://127.0.0.1:3000/webhooks")
    .action(async (what, options) =>
      (await import("../send/replay.ts")).runReplay(what, options, command, context),
    );
}
