import { ConfigurationError } from "../../errors.ts";
import { isPostgresUrl } from "../../inbox/postgres/options.ts";
import type { CliContext } from "../context.ts";
import { type NamedInbox, nameInbox } from "./named-inbox.ts";

/**
 * The inbox that an option names, which must be on PostgreSQL.
 *
 * @throws ConfigurationError `inbox_unsupported`
 */
export function nameDatabase(context: CliContext, given: string | undefined): NamedInbox {
  const named = nameInbox(context, given);
  if (isPostgresUrl(named.option)) return named;
  const got = given === undefined ? "none" : named.shown;
  throw new ConfigurationError(
    "inbox_unsupported",
    `expected the postgres:// URL of a database, got ${got}: pass --inbox or set HOOKPORTER_INBOX; a file is brought up to date by the first receiver that opens it`,
  );
}
