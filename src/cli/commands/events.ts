import { STATE_WORDS } from "../../inbox/entry-state.ts";
import type { CliCommand } from "../cli-command.ts";
import type { CliContext } from "../context.ts";
import { addPruneOptions } from "../events/prune-options.ts";
import { readStates } from "../events/state-values.ts";
import { readFieldValues } from "../handlers/values.ts";
import { DEFAULT_INBOX_HELP } from "../settings/default-values.ts";
import {
  readCount,
  readKinds,
  readMoment,
  readRate,
  readSeq,
  readSources,
  readTexts,
  readTimeout,
} from "../settings/values.ts";

export function registerEvents(program: CliCommand, context: CliContext): void {
  const events = program
    .command("events")
    .description("show the entries of an inbox, run them again, pause, export or delete them");

  addUntil(addFailures(addSelection(events.command("list"))))
    .description("list entries, oldest first")
    .common("--limit <n>", "only the newest n entries (default: 50)", readCount)
    .common("--group", "show the errors of failing entries and dead letters, each once")
    .common("--follow", "then wait, and print each new entry until Ctrl-C")
    .example("hookporter events list --state dead --since 2h")
    .action(async (options, command) =>
      (await import("../events/events.ts")).listEvents(options, command, context),
    );

  events
    .command("show")
    .description("show one entry in full: its delivery and its attempts")
    .argument("<entry>", "event id, the beginning of one, or entry number")
    .option("--inbox <inbox>", `inbox file, or postgres:// URL (default: ${DEFAULT_INBOX_HELP})`)
    .option("--body", "print only the bytes of the body")
    .example("hookporter events show 12")
    .action(async (entry, options) =>
      (await import("../events/events.ts")).showEvent(entry, options, context),
    );

  registerWait(events, context);
  registerChanges(events, context);
  registerPauses(events, context);

  addSelection(events.command("export"))
    .description("export entries as fixtures for replay")
    .option(
      "--to <dir>",
      "write one file per entry to this folder (default: one per line on standard output)",
    )
    .option("--limit <n>", "only the newest n entries (default: all)", readCount)
    .example("hookporter events export --kind payment.received --to fixtures/")
    .action(async (options) =>
      (await import("../events/events.ts")).exportEvents(options, context),
    );

  events
    .command("backup")
    .description("write a consistent copy of an inbox file, which may be in use, to a new file")
    .argument("<file>", "file to write the backup to")
    .option("--inbox <inbox>", `inbox file (default: ${DEFAULT_INBOX_HELP})`)
    .option("--force", "replace the file if it exists")
    .example("hookporter events backup /backups/inbox-$(date +%F).db")
    .action(async (file, options) =>
      (await import("../events/backup.ts")).backUpEvents(file, options, context),
    );

  addPruneOptions(events.command("prune"))
    .description(
      "delete old entries that have ended; a running receiver does this itself, except for dead letters",
    )
    .example("hookporter events prune --state dead --older-than 30d")
    .action(async (options) => (await import("../events/prune.ts")).pruneEvents(options, context));
}

function registerWait(events: CliCommand, context: CliContext): void {
  events
    .command("wait")
    .description(
      "wait for new entries, and report what became of each: exit code 7 if one was not handled",
    )
    .option("--inbox <inbox>", `inbox file, or postgres:// URL (default: ${DEFAULT_INBOX_HELP})`)
    .option("--kind <kinds>", "only these kinds or families, such as payment.*", readKinds)
    .option(
      "--state <states>",
      "report an entry once it is in one of these states (default: handled,failing,dead,received)",
      readStates(STATE_WORDS),
    )
    .option(
      "--after <n>",
      "begin after this entry number (default: that of the newest entry)",
      readSeq,
    )
    .option("--count <n>", "number of entries to wait for (default: 1)", readCount)
    .option("--timeout <duration>", "how long to wait in all (default: 30s)", readTimeout)
    .example("hookporter events wait --after 0 --kind property.created")
    .action(async (options) =>
      (await import("../outcome/wait.ts")).waitForEvents(options, context),
    );
}

function registerChanges(events: CliCommand, context: CliContext): void {
  addUntil(addFailures(addSelection(events.command("retry"))))
    .description("run waiting and failing entries now, and dead and received ones again")
    .argument("[entries...]", "event ids or entry numbers")
    .common("--all", "retry every waiting, failing, dead and received entry")
    .common("--limit <n>", "only the oldest n entries (default: all)", readCount)
    .common("--rate <n>", "entries per second, such as 20/s (default: all at once)", readRate)
    .common("--dropped", "only dropped entries, which stay dropped otherwise unless you name them")
    .common("--dry-run", "print how many entries would be retried, and change nothing")
    .example("hookporter events retry --state dead --rate 20/s")
    .action(async (entries, options) =>
      (await import("../events/change.ts")).retryEvents(entries, options, context),
    );

  addUntil(addSelection(events.command("erase")))
    .description("erase everything that the inbox holds of entries, except their dedup keys")
    .argument("[entries...]", "event ids or entry numbers")
    .common(
      "--where <field=value>",
      "only entries with this value in their body, such as data.tenant_id=42; may be repeated",
      readFieldValues,
    )
    .common("--all", "erase every entry that is not running")
    .common(
      "--yes",
      "erase without asking; otherwise the command asks on a terminal, and erases nothing without one",
    )
    .example("hookporter events erase --where data.tenant_id=42")
    .action(async (entries, options) =>
      (await import("../events/erase.ts")).eraseEvents(entries, options, context),
    );

  addFailures(addSelection(events.command("drop")))
    .description("drop entries: they become dead letters, and hold back no other entry")
    .argument("[entries...]", "event ids or entry numbers")
    .common("--all", "drop every waiting, failing and running entry")
    .addHelpText(
      "after",
      "\nExample:\n  hookporter events drop 12\n  hookporter events drop --target 3000 --kind 'lead.*'",
    )
    .action(async (entries, options) =>
      (await import("../events/change.ts")).dropEvents(entries, options, context),
    );
}

function registerPauses(events: CliCommand, context: CliContext): void {
  addPauseScopes(events.command("pause"))
    .description(
      "keep entries from running, while they are still received; without a flag, show what is paused",
    )
    .option("--all", "pause everything")
    .example("hookporter events pause --kind payment.received")
    .action(async (options) => (await import("../events/pause.ts")).pauseEvents(options, context));
  addPauseScopes(events.command("resume"))
    .description(
      "run again what `events pause` keeps from running, or a retry that paused by itself",
    )
    .option("--all", "resume everything that is paused")
    .example("hookporter events resume --kind payment.received")
    .action(async (options) => (await import("../events/pause.ts")).resumeEvents(options, context));
}

function addPauseScopes(command: CliCommand): CliCommand {
  return command
    .option("--inbox <inbox>", `inbox file, or postgres:// URL (default: ${DEFAULT_INBOX_HELP})`)
    .option("--kind <kinds>", "these kinds or families, such as payment.*", readKinds)
    .option("--handler <names>", "the runs of these handlers, named as in events show", readTexts)
    .option(
      "--target <targets>",
      "the runs at these targets: URLs, ports of this machine, or names",
      readTexts,
    )
    .option("--source <names>", "the entries of these sources", readSources)
    .option("--retry <n>", "the rest of retry n, which was started with --rate", readCount);
}

/** Which entries a command is about. */
function addSelection(command: CliCommand): CliCommand {
  return command
    .common("--inbox <inbox>", `inbox file, or postgres:// URL (default: ${DEFAULT_INBOX_HELP})`)
    .common(
      "--state <states>",
      `only entries in these states: ${STATE_WORDS.join(", ")}`,
      readStates(STATE_WORDS),
    )
    .common("--kind <kinds>", "only these kinds or families, such as payment.*", readKinds)
    .option(
      "--source <names>",
      "only entries of these sources, if receivers of several sources share the inbox",
      readSources,
    )
    .common(
      "--since <time>",
      "only entries received at or after this time: a date, or a time ago such as 2h",
      (text) => readMoment(text),
    );
}

function addUntil(command: CliCommand): CliCommand {
  return command.option(
    "--until <time>",
    "only entries received before this time: a date, or a time ago such as 2h",
    (text) => readMoment(text),
  );
}

/** Which failures a command is about. */
function addFailures(command: CliCommand): CliCommand {
  return command
    .option(
      "--target <targets>",
      "only entries that wait for these targets, or were given up on for them: URLs, or ports of this machine",
      readTexts,
    )
    .common(
      "--like <entry>",
      "only entries that failed like this one: an event id or an entry number",
    );
}
