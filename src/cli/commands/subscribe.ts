import type { Command } from "commander";
import type { CliContext } from "../context.ts";
import { addSecretOptions } from "../secrets/options.ts";
import { addServiceOptions } from "../service/options.ts";
import type { SubscribeOptions } from "../service/subscribe.ts";
import { readDuration, readEndpoint, readKinds, readTexts } from "../settings/values.ts";

/** `subscribe <url>`: registers an endpoint with the service. */
export function registerSubscribe(program: Command, context: CliContext): void {
  const command = program
    .command("subscribe")
    .description("let the service deliver to a URL: create a subscription, and remember it")
    .argument("[url]", "public URL of the endpoint", readEndpoint)
    .option("--events <kinds>", "only these kinds or families (default: all 12)", readKinds)
    .option("--again", "create another one even though the same is remembered")
    .option("--remembered", "print the subscriptions created from this folder, and send nothing")
    .option(
      "--forget <names>",
      "forget these, by id or URL, once you removed them at the service; may be repeated",
      readTexts,
    )
    .option("--timeout <duration>", "how long to wait for each answer (default: 30s)", readDuration);
  addSecretOptions(addServiceOptions(command))
    .addHelpText(
      "after",
      "\nExample:\n  hookporter subscribe https://app.example/webhooks --events 'payment.*'",
    )
    .action(async (url: URL | undefined, options: SubscribeOptions) =>
      (await import("../service/subscribe.ts")).runSubscribe(url, options, command, context),
    );
}
