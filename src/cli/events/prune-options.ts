import type { CliCommand } from "../cli-command.ts";
import { DEFAULT_INBOX_HELP } from "../settings/default-values.ts";
import { readDuration, readSources } from "../settings/values.ts";
import { readStates } from "./state-values.ts";

/** Which entries `events prune` deletes. */
export function addPruneOptions(command: CliCommand): CliCommand {
  return command
    .option("--inbox <inbox>", `inbox file, or postgres:// URL (default: ${DEFAULT_INBOX_HELP})`)
    .option("--older-than <duration>", "only entries older than this (default: 30d)", readDuration)
    .option(
      "--deliveries-older-than <duration>",
      "also delete the deliveries of entries that were handled longer ago than this, but keep the entries (default: 7d)",
      readDuration,
    )
    .option(
      "--state <states>",
      "only entries in these states: handled, received, dead (default: handled,received)",
      readStates(["handled", "received", "dead"]),
    )
    .option(
      "--source <names>",
      "only entries of these sources, if receivers of several sources share the inbox",
      readSources,
    );
}
