import type { CliCommand } from "../cli-command.ts";
import type { CliContext } from "../context.ts";
import { DEFAULT_INBOX_HELP } from "../settings/default-values.ts";

export function registerInbox(program: CliCommand, context: CliContext): void {
  const inbox = program.command("inbox").description("create, check and copy inboxes");

  inbox
    .command("migrate")
    .description("create the tables of an inbox on PostgreSQL, or update them")
    .option("--inbox <inbox>", "postgres:// URL of a user who may create a schema")
    .option(
      "--grant-to <role>",
      "also grant this user the rights that receivers need, but not to create tables",
    )
    .option("--print", "print the SQL that is still to run, and run nothing")
    .option("--all", "with --print: print the SQL of every version, without connecting")
    .example("hookporter inbox migrate --print --grant-to app")
    .action(async (options) =>
      (await import("../inbox/migrate.ts")).migrateInbox(options, context),
    );

  inbox
    .command("check")
    .description("check every page and every delivery of an inbox file, and print what it contains")
    .option("--inbox <inbox>", `inbox file, or postgres:// URL (default: ${DEFAULT_INBOX_HELP})`)
    .example("hookporter inbox check --inbox backup.db")
    .action(async (options) => (await import("../inbox/check.ts")).checkInboxes(options, context));

  inbox
    .command("vacuum")
    .description("return the free space of an inbox file to the disk; stop its receivers first")
    .option("--inbox <inbox>", `inbox file (default: ${DEFAULT_INBOX_HELP})`)
    .example("hookporter inbox vacuum")
    .action(async (options) => (await import("../inbox/vacuum.ts")).vacuumInbox(options, context));

  registerCopy(inbox, context);
}

function registerCopy(inbox: CliCommand, context: CliContext): void {
  inbox
    .command("copy")
    .description(
      "copy every entry of an inbox into a new one, and compare both; continues an interrupted copy",
    )
    .argument("<from>", "inbox file, or postgres:// URL")
    .argument("[to]", "new inbox file, or postgres:// URL (default: the inbox of --inbox)")
    .option("--inbox <inbox>", "inbox to copy to, if you name only one")
    .option("--force", "copy even if processes are registered with the inbox, such as killed ones")
    .option("--into <inbox>", "instead, add the entries to this inbox file, which may have others")
    .option("--salvage", "copy the readable part of a damaged file, and report the rest")
    .addHelpText(
      "after",
      "\nExample:\n  hookporter inbox copy .hookporter/inbox.db postgres://app@localhost/app\n" +
        "  hookporter inbox copy --salvage damaged/inbox.db new.db\n" +
        "  hookporter inbox copy inbox.db-rescued-20261124T014157Z --into inbox.db",
    )
    .action(async (from, to, options) =>
      (await import("../inbox/copy.ts")).copyInboxes(from, to, options, context),
    );
}
