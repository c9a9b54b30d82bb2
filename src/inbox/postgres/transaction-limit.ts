import { ConfigurationError } from "../../errors.ts";
import type { PostgresDatabase, PostgresPool } from "./session.ts";

/** Connections that the inbox needs for itself, to keep deliveries, store results and renew leases. */
const OWN = 3;
/** Connections of a pool of `pg` that does not say how many it has. */
const OF_POOL = 10;
/** Transactions of another library, whose connections are its own. */
const OF_LIBRARY = 5;

/** How many handlers may have a transaction at a time; throws a ConfigurationError `option_invalid`. */
export function transactionLimit(
  connection: string | PostgresPool | PostgresDatabase,
  {
    transaction,
    maxTransactions,
  }: { readonly transaction?: unknown; readonly maxTransactions?: number | undefined },
  connections: number,
): number {
  if (maxTransactions !== undefined && (!Number.isSafeInteger(maxTransactions) || maxTransactions < 1)) {
    throw new ConfigurationError(
      "option_invalid",
      `expected maxTransactions to be a whole number from 1, got ${JSON.stringify(maxTransactions)}: leave it out for the default`,
    );
  }
  if (transaction !== undefined) return maxTransactions ?? OF_LIBRARY;
  return Math.min(maxTransactions ?? Number.POSITIVE_INFINITY, Math.max(0, roomOf(connection, connections)));
}

function roomOf(connection: string | PostgresPool | PostgresDatabase, connections: number): number {
  if (typeof connection === "string") return connections - OWN;
  if ("transaction" in connection) return 1; // it has one, and runs nothing else meanwhile
  return (connection.options?.max ?? OF_POOL) - OWN;
}
