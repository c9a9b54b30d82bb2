import type { CliCommand } from "../cli-command.ts";
import type { CliContext } from "../context.ts";
import { addSecretOptions } from "../secrets/secret-options.ts";
import { addServiceOptions } from "../service/service-options.ts";
import { readEndpoint, readKinds, readTimeout } from "../settings/values.ts";

export function registerSubscribe(program: CliCommand, context: CliContext): void {
  const command = program
    .command("subscribe")
    .description("create a subscription, so that the service delivers to a URL, and remember it")
    .argument("<url>", "public URL of the endpoint", readEndpoint)
    .common("--events <kinds>", "only these kinds or families (default: all 12)", readKinds)
    .common("--again", "create a subscription even if the same one is remembered")
    .setting(
      "--timeout <duration>",
      "how long to wait for each response (default: 30s)",
      readTimeout,
    );
  addSecretOptions(addServiceOptions(command))
    .example("hookporter subscribe https://app.example/webhooks --events 'payment.*'")
    .action(async (url, options) =>
      (await import("../service/subscribe.ts")).runSubscribe(url, options, command, context),
    );
}
