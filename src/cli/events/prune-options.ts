import type { CliCommand } from "../cli-command.ts";
import { readDuration, readOneOf, readSources } from "../settings/values.ts";

/** Adds the options that say what to delete from an inbox. */
export function addPruneOptions(command: CliCommand): CliCommand {
  return command
    .option("--inbox <inbox>", "inbox file, or postgres:// URL (default: .hookporter/inbox.db)")
    .option(
      "--state <states>",
      "only entries in these states: done, unhandled, dead (default: done,unhandled)",
      readOneOf(["done", "unhandled", "dead"]),
    )
    .option(
      "--source <names>",
      "only entries of these sources, if receivers of several sources share the inbox",
      readSources,
    )
    .option("--older-than <duration>", "only entries older than this (default: 30d)", readDuration)
    .option(
      "--deliveries-older-than <duration>",
      "delete the delivery of entries that were done longer ago than this, and keep the rest (default: 7d)",
      readDuration,
    );
}
