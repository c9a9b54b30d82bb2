import pg from "pg";
import { afterAll, onTestFinished } from "vitest";
import type { PostgresOptions } from "../../../src/entries/index.ts";
import type { Inbox, OpenTerms } from "../../../src/inbox/inbox.ts";
import { postgresStore } from "../../../src/inbox/postgres.ts";
import { type PostgresServer, startPostgres } from "./server.ts";

/**
 * A server, and for each test a schema of its own with several inboxes on it. Everything ends with
 * the tests.
 *
 * @param own - settings of a server that is started here
 */
export async function openServer(own: Readonly<Record<string, string>> = {}) {
  const server: PostgresServer = await startPostgres(own);
  const admin = new pg.Pool({ connectionString: server.url, max: 4 });
  admin.on("error", () => {}); // a test may stop the server
  const made: string[] = [];
  // words of digits, which are shown in messages
  const prefix = `test_${process.pid}_${Math.floor(Date.now() / 1000) % 1_000_000}`;

  afterAll(async () => {
    for (const schema of made) await admin.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    await admin.end();
    await server.stop();
  });

  /** The name of a schema that is dropped after the tests. */
  const newSchema = () => {
    const schema = `${prefix}_${made.length}`;
    made.push(schema);
    return schema;
  };
  /** Opens an inbox, and closes it after the test. */
  const open = async (
    schema: string,
    options: PostgresOptions = {},
    url = server.url,
    terms: OpenTerms = {},
  ): Promise<Inbox> => {
    const inbox = postgresStore(url, { schema, ...options });
    await inbox.open(terms);
    onTestFinished(() => inbox.close());
    return inbox;
  };
  /** Resolves once so many sessions wait for a lock. */
  const waitForBlocked = async (many: number) => {
    for (;;) {
      const { rows } = await admin.query(
        "SELECT count(*)::int AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
      );
      if (rows[0].n >= many) return;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
  /**
   * How many deadlocks the server has found so far. Its statistics are late, so it waits for them.
   */
  const deadlocks = async () => {
    await new Promise((resolve) => setTimeout(resolve, 1200));
    const { rows } = await admin.query(
      "SELECT deadlocks::int AS n FROM pg_stat_database WHERE datname = current_database()",
    );
    return rows[0].n as number;
  };
  return { server, admin, newSchema, open, waitForBlocked, deadlocks };
}
