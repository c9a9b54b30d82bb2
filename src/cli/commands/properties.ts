import type { Command } from "commander";
import type { CliContext } from "../context.ts";
import { addServiceOptions } from "../service/options.ts";
import type { PropertiesOptions } from "../service/properties.ts";
import { readCount, readDuration, readSeed, readTexts } from "../settings/values.ts";

/** `properties`: the list of properties. */
export function registerProperties(program: Command, context: CliContext): void {
  const command = program
    .command("properties")
    .description("list the properties that the service has")
    .option("--fields <names>", "only these fields, such as id,address,rent; may be repeated", readTexts)
    .option("--page <n>", "number of the page (default: the service's first)", readSeed)
    .option("--per-page <n>", "size of a page (default: the service's own)", readCount)
    .option("--all", "every page")
    .option("--page-parameter <name>", "query parameter that selects the page (default: page)")
    .option("--per-page-parameter <name>", "query parameter that selects its size (default: per_page)")
    .option("--fields-separator <text>", "what stands between the names of fields (default: ,)")
    .option("--timeout <duration>", "how long to wait for each answer (default: 30s)", readDuration)
    .option("--env-file <file>", "file to look the variables up in when they are not set (default: .env)");
  addServiceOptions(command)
    .addHelpText("after", "\nExample:\n  hookporter properties --fields id,address,rent --all")
    .action(async (options: PropertiesOptions) =>
      (await import("../service/properties.ts")).listProperties(options, command, context),
    );
}
