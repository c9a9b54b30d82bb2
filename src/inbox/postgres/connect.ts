import { HookporterError } from "../../errors.ts";
import type { PostgresTerms } from "./options.ts";
import { databaseSession, type PostgresPool, poolSession, type Session } from "./session.ts";

/** Milliseconds to wait for a connection. */
const CONNECT_TIMEOUT = 5000;

/** A session on what the options name. Loads `pg` only for a URL. */
export async function connect({ connection, connections, name }: PostgresTerms): Promise<Session> {
  if (typeof connection !== "string") {
    return "transaction" in connection
      ? databaseSession(connection)
      : poolSession(connection, () => Promise.resolve());
  }
  const { Pool } = await loadClient(name);
  const pool = new Pool({
    connectionString: connection,
    max: connections,
    connectionTimeoutMillis: CONNECT_TIMEOUT,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    application_name: "hookporter",
  });
  // An idle connection that is lost is no failure: the next statement opens another.
  pool.on("error", () => {});
  return poolSession(pool as PostgresPool, () => pool.end());
}

async function loadClient(name: string): Promise<Pick<typeof import("pg"), "Pool">> {
  try {
    const { default: client } = await import("pg");
    return client;
  } catch (cause) {
    throw new HookporterError(
      "inbox_unavailable",
      `expected the package pg to be installed for the inbox ${name}, got none: run npm install pg`,
      { cause },
    );
  }
}
