import { HookporterError } from "../../errors.ts";
import { migrateSchema, printedMigration } from "../../inbox/postgres/care.ts";
import type { CliContext } from "../context.ts";
import { nameDatabase } from "./database.ts";

/** The options of `inbox migrate`. */
export interface MigrateOptions {
  readonly inbox?: string;
  readonly grantTo?: string;
  readonly print?: boolean;
  readonly all?: boolean;
}

/** `inbox migrate`. */
export async function migrateInbox(options: MigrateOptions, context: CliContext): Promise<void> {
  const { output } = context;
  const { grantTo: role, print = false, all = false } = options;
  if (all && !print)
    throw new HookporterError("usage", "expected --print with --all, got none: add it, or remove --all");
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
  const was = from === to ? `is up to date, at version ${to}` : `went from version ${from} to ${to}`;
  output.data(`${shown}: the schema ${schema} ${was}${granted}`);
  output.record("migrate", { inbox: shown, schema, from, to, grantTo: role ?? null, sql: null });
}
