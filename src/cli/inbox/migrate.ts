import { ConfigurationError } from "../../base/errors.ts";
import { migrateSchema, printedMigration } from "../../inbox/postgres/care.ts";
import { isPostgresUrl } from "../../inbox/postgres/postgres-url.ts";
import type { CliContext } from "../context.ts";
import { usageError } from "../input-errors.ts";
import { type NamedInbox, nameInbox } from "./named-inbox.ts";

export interface MigrateOptions {
  readonly inbox?: string;
  readonly grantTo?: string;
  readonly print?: boolean;
  readonly all?: boolean;
}

export async function migrateInbox(options: MigrateOptions, context: CliContext): Promise<void> {
  const { output } = context;
  const { grantTo: role, print = false, all = false } = options;
  if (all && !print)
    throw usageError("expected --print with --all, got none: add it, or remove --all");
  const { option, shown } = nameDatabase(context, options.inbox);
  if (print) {
    const { schema, from, to, sql } = await printedMigration(option, { role, all });
    if (sql === "") output.talk(`nothing is pending in ${shown}`);
    else output.data(sql.trimEnd());
    output.record("migrate", { inbox: shown, schema, from, to, grantTo: role ?? null, sql });
    return;
  }
  const { schema, from, to } = await migrateSchema(option, role);
  const granted = role === undefined ? "" : `; ${role} may use it`;
  const was =
    from === to ? `is up to date, at version ${to}` : `went from version ${from} to ${to}`;
  output.data(`${shown}: the schema ${schema} ${was}${granted}`);
  output.record("migrate", { inbox: shown, schema, from, to, grantTo: role ?? null, sql: null });
}

/** The inbox that an option names, which must be on PostgreSQL. Throws `inbox_unsupported`. */
function nameDatabase(context: CliContext, given: string | undefined): NamedInbox {
  const named = nameInbox(context, given);
  if (isPostgresUrl(named.option)) return named;
  const got = given === undefined ? "none" : named.shown;
  throw new ConfigurationError(
    "inbox_unsupported",
    `expected the postgres:// URL of a database, got ${got}: pass --inbox or set HOOKPORTER_INBOX; a file is brought up to date by the first receiver that opens it`,
  );
}
