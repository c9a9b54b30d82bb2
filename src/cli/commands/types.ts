import type { CliCommand } from "../cli-command.ts";
import type { CliContext } from "../context.ts";
import { readAnyKinds, readEnumPath, TYPES_FORMATS } from "../learn/learn-options.ts";
import { DEFAULT_INBOX_HELP } from "../settings/default-values.ts";
import { readChoice, readMoment, readSources } from "../settings/values.ts";

export function registerTypes(program: CliCommand, context: CliContext): void {
  program
    .command("types")
    .description(
      "learn schemas and types of `data` from events, and see where events differ from them",
    )
    .argument("[events...]", "fixtures, folders of them, NDJSON files, or - (default: the inbox)")
    .common("--inbox <inbox>", `inbox file, or postgres:// URL (default: ${DEFAULT_INBOX_HELP})`)
    .common("--kind <kinds>", "only these kinds or families, such as payment.*", readAnyKinds)
    .setting("--source <sources>", "only events of these sources", readSources)
    .common(
      "--since <time>",
      "only events received since a time, such as 7d or 2026-01-31",
      readMoment,
    )
    .common("--with-samples", "also learn from events that trigger, check and the sandbox made up")
    .common(
      "--format <format>",
      `one of ${TYPES_FORMATS.join(", ")} (default: zod)`,
      readChoice(TYPES_FORMATS),
    )
    .common(
      "--out <file>",
      "file to write, or - for standard output (default: src/schemas.ts, or src/schemas.json)",
    )
    .setting(
      "--shapes <file>",
      "shape file (default: next to --out, such as src/schemas.shape.json)",
    )
    .setting(
      "--enums <path>",
      "make an enum of the strings at a path, such as payment.received:data.status; may be repeated",
      readEnumPath,
    )
    .setting(
      "--strict",
      "enforce formats too, such as email, prefix, integer and enum, not only types",
    )
    .common(
      "--merge",
      "keep your edits of the file, and print how they differ from what was learned",
    )
    .option("--force", "replace the file even if it was edited")
    .common(
      "--check",
      "write nothing; print how events differ from the shape file, and exit with 1 if any does",
    )
    .common(
      "--diff <since>",
      "write nothing; compare the events before and since a time, or a shape file with events or another one",
    )
    .addHelpText(
      "after",
      "\nExamples:\n  hookporter types\n  hookporter types --check --since 1d\n  hookporter types --diff 2026-01-31 --kind payment.received",
    )
    .action(async (what, options) =>
      (await import("../learn/types.ts")).runTypes(what, options, context),
    );
}
