import type { CliCommand } from "../cli-command.ts";
import type { CliContext } from "../context.ts";
import { readDataPath } from "../learn/learn-options.ts";
import { DEFAULT_INBOX_HELP } from "../settings/default-values.ts";
import { readSeed } from "../settings/values.ts";

export function registerFixtures(program: CliCommand, context: CliContext): void {
  const fixtures = program.command("fixtures").description("make saved deliveries fit to share");

  fixtures
    .command("scrub")
    .description(
      "replace the values in fixtures with made-up ones of the same shape, so that you can share them",
    )
    .argument(
      "<fixtures...>",
      "files, folders, event ids or entry numbers, or - for NDJSON on standard input",
    )
    .option("--inbox <inbox>", `inbox file, or postgres:// URL (default: ${DEFAULT_INBOX_HELP})`)
    .option(
      "--to <dir>",
      "write one file per fixture to this folder (default: one per line on standard output)",
    )
    .option(
      "--keep <path>",
      "keep the values at a path, such as data.status; may be repeated",
      readDataPath,
    )
    .option(
      "--seed <n>",
      "random seed, to make the same values from the same fixtures again (default: random)",
      readSeed,
    )
    .example("hookporter fixtures scrub recorded/ --to fixtures/ --keep data.status")
    .action(async (what, options) =>
      (await import("../learn/scrub.ts")).scrubFixtures(what, options, context),
    );
}
