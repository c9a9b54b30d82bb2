import type { CliCommand } from "../cli-command.ts";
import type { CliContext } from "../context.ts";
import { addSecretOptions } from "../secrets/secret-options.ts";
import { addServiceOptions } from "../service/service-options.ts";
import {
  readCount,
  readEndpoint,
  readKinds,
  readSeed,
  readTexts,
  readTimeout,
} from "../settings/values.ts";

/** What asks the service's API: `subscribe` and `properties`. */
export function registerService(program: CliCommand, context: CliContext): void {
  const subscribe = program
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
  addSecretOptions(addServiceOptions(subscribe))
    .example("hookporter subscribe https://app.example/webhooks --events 'payment.*'")
    .action(async (url, options) =>
      (await import("../service/subscribe.ts")).runSubscribe(url, options, subscribe, context),
    );

  const properties = program
    .command("properties")
    .description("list the service's properties")
    .common(
      "--fields <names>",
      "only these fields, such as id,address,rent; may be repeated",
      readTexts,
    )
    .common("--page <n>", "page number (default: the service's first)", readSeed)
    .common("--per-page <n>", "page size (default: the service's own)", readCount)
    .common("--all", "fetch every page")
    .setting("--page-parameter <name>", "query parameter for the page number (default: page)")
    .setting("--per-page-parameter <name>", "query parameter for the page size (default: per_page)")
    .setting("--fields-separator <text>", "separator between field names (default: ,)")
    .setting(
      "--timeout <duration>",
      "how long to wait for each response (default: 30s)",
      readTimeout,
    )
    .setting(
      "--env-file <file>",
      "file to read variables from if they are not set (default: .env)",
    );
  addServiceOptions(properties)
    .example("hookporter properties --fields id,address,rent --all")
    .action(async (options) =>
      (await import("../service/properties.ts")).listProperties(options, properties, context),
    );
}
