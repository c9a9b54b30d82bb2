import type { Inbox } from "../inbox.ts";
import {
  type PostgresConnection,
  type PostgresOptions,
  readPostgresOptions,
} from "../postgres/postgres-options.ts";
import { postgresStore } from "../postgres.ts";
import { handleOf, type InboxHandle } from "./handle.ts";
import { nameFor } from "./process-stores.ts";
import { sharedInbox } from "./shared-inbox.ts";

/**
 * An inbox on PostgreSQL, which any number of processes and machines share. What resolves is
 * committed. The receivers of a process that are given the same options share its connections.
 *
 * @throws ConfigurationError `option_invalid`
 *
 * @example
 * ```ts
 * import { createReceiver, postgresInbox } from "hookporter";
 *
 * const inbox = postgresInbox("postgres://app@localhost/app", { schema: "webhooks", migrate: "check" });
 * const receiver = createReceiver({ secret: process.env.HOOKPORTER_SECRET, inbox });
 * await receiver.start();
 * ```
 */
export function postgresInbox(
  connection: PostgresConnection,
  options: PostgresOptions = {},
): InboxHandle {
  return handleOf(sharedPostgres(connection, options));
}

/** The store of such an inbox. */
export function sharedPostgres(
  connection: PostgresConnection,
  options: PostgresOptions = {},
): Inbox {
  const names = [nameFor(readPostgresOptions(connection, options))];
  return sharedInbox({
    make: (process) => postgresStore(connection, options, process),
    names: () => ({ opening: names, open: names }),
  });
}
