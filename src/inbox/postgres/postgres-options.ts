import { invalidOption } from "../../base/options/check-options.ts";
import type { OwnTransactions } from "./handler-transactions.ts";
import { DEFAULT_SCHEMA, nameOf, readPostgresUrl, withoutSchema } from "./postgres-url.ts";
import type { PostgresDatabase, PostgresPool } from "./session.ts";

/** How to use an inbox on PostgreSQL. */
export interface PostgresOptions {
  /**
   * The schema of the inbox's tables: lower-case letters, digits and underscores, at most 40.
   * Default: the parameter `schema` of the URL, or `hookporter`.
   */
  readonly schema?: string | undefined;
  /**
   * `auto` makes the schema if there is none, and brings it up to date when the inbox is opened.
   * `check` refuses to open the inbox instead. Default `auto`.
   */
  readonly migrate?: "auto" | "check" | undefined;
  /** The most connections, if the inbox is given by a URL. Default 5. */
  readonly connections?: number | undefined;
  /**
   * The URL of a direct connection to listen on for entries of other processes, if the inbox's own
   * goes through a pooler in transaction mode. Default: the URL of the inbox.
   */
  readonly listenUrl?: string | undefined;
  /**
   * Runs a function in a transaction of your own database library, whose transaction is then what
   * handlers with `tx: true` get. It must be in the same database, and READ COMMITTED. Default: on
   * the inbox's own connections.
   *
   * @example
   * ```ts
   * import { postgresInbox } from "hookporter";
   *
   * declare const library: { transaction(run: (tx: never) => Promise<void>): Promise<void> };
   * declare const execute: (tx: never, text: string, values: string[]) => Promise<unknown[]>;
   *
   * const inbox = postgresInbox("postgres://app@localhost/app", {
   *   transaction: (run) => library.transaction((tx) => run(tx, (text, values) => execute(tx, text, values))),
   * });
   * ```
   */
  readonly transaction?: OwnTransactions | undefined;
  /**
   * The most handlers with a transaction at a time. Default: the connections of the inbox without
   * 3, which it needs for itself; 5 with `transaction`.
   */
  readonly maxTransactions?: number | undefined;
  /**
   * This machine's clock, in milliseconds since 1970. Leases are compared with the database's.
   * Default `Date.now`.
   */
  readonly clock?: (() => number) | undefined;
}

/** Where an inbox is: a URL, a pool of `pg`, or a database in this process. */
export type PostgresConnection = string | PostgresPool | PostgresDatabase;

export interface PostgresTerms {
  readonly connection: PostgresConnection;
  readonly schema: string;
  readonly migrate: "auto" | "check";
  readonly connections: number;
  readonly listenUrl: string | undefined;
  readonly transaction: OwnTransactions | undefined;
  readonly maxTransactions: number;
  /** The inbox in messages: without the password. */
  readonly name: string;
  readonly clock: () => number;
  /** The process that uses it, if it is one that registers. */
  readonly runner?: string | undefined;
}

/** Applies the defaults and refuses what cannot work with a ConfigurationError `option_invalid`. */
export function readPostgresOptions(
  connection: PostgresConnection,
  options: PostgresOptions,
): PostgresTerms {
  const url = typeof connection === "string" ? readPostgresUrl(connection) : undefined;
  const schema = options.schema ?? url?.searchParams.get("schema") ?? DEFAULT_SCHEMA;
  if (!/^[a-z_][a-z0-9_]{0,39}$/.test(schema)) {
    throw invalidOption(
      `expected the schema to have at most 40 lower-case letters, digits and underscores, got ${JSON.stringify(schema)}: ` +
        "choose such a name",
    );
  }
  const { migrate = "auto", connections = 5, listenUrl, transaction, clock = Date.now } = options;
  if (listenUrl !== undefined) readPostgresUrl(listenUrl);
  if (migrate !== "auto" && migrate !== "check") {
    throw invalidOption('expected migrate to be "auto" or "check", got another value: choose one');
  }
  if (!Number.isSafeInteger(connections) || connections < 2) {
    throw invalidOption(
      `expected connections to be a whole number of at least 2, got ${JSON.stringify(connections)}: the default is 5`,
    );
  }
  const maxTransactions = transactionLimit(connection, options, connections);
  return {
    connection: typeof connection === "string" ? withoutSchema(connection) : connection,
    connections,
    listenUrl,
    name: url === undefined ? "on the given connection" : nameOf(url),
    schema,
    migrate,
    transaction,
    maxTransactions,
    clock,
  };
}

/**
 * Connections that the inbox needs for itself, to keep deliveries, store results and renew leases.
 */
const OWN = 3;
/** Connections of a pool of `pg` that does not say how many it has. */
const OF_POOL = 10;
/** Transactions of another library, whose connections are its own. */
const OF_LIBRARY = 5;

/** How many handlers may have a transaction at a time. */
function transactionLimit(
  connection: PostgresConnection,
  options: PostgresOptions,
  connections: number,
) {
  const { transaction, maxTransactions } = options;
  if (
    maxTransactions !== undefined &&
    (!Number.isSafeInteger(maxTransactions) || maxTransactions < 1)
  ) {
    throw invalidOption(
      `expected maxTransactions to be a whole number from 1, got ${JSON.stringify(maxTransactions)}: leave it out for the default`,
    );
  }
  if (transaction !== undefined) return maxTransactions ?? OF_LIBRARY;
  const most = maxTransactions ?? Number.POSITIVE_INFINITY;
  if (typeof connection === "string") return Math.min(most, Math.max(0, connections - OWN));
  // it has one, and runs nothing else meanwhile
  if ("transaction" in connection) return Math.min(most, 1);
  return Math.min(most, Math.max(0, (connection.options?.max ?? OF_POOL) - OWN));
}
