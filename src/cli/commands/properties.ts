import type { CliCommand } from "../cli-command.ts";
import type { CliContext } from "../context.ts";
import { addServiceOptions } from "../service/service-options.ts";
import { readCount, readSeed, readTexts, readTimeout } from "../settings/values.ts";

export function registerProperties(program: CliCommand, context: CliContext): void {
  const command = program
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
  addServiceOptions(command)
    .example("hookporter properties --fields id,address,rent --all")
    .action(async (options) =>
      (await import("../service/properties.ts")).listProperties(options, command, context),
    );
}
