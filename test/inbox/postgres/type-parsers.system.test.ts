import pg from "pg";
import { afterAll, it } from "vitest";
import { postgresStore } from "../../../src/inbox/postgres.ts";
import { describeInbox } from "../contract.ts";
import { emptied, emptySql, pgliteInboxes } from "./pglite.ts";
import { NO_SERVER, startPostgres } from "./server.ts";

const SCHEMA = "parsed";

/** What an app makes of every value of a type: nothing that the inbox could use. */
const unusable = (text: unknown) => Object.freeze({ ofTheApp: String(text).toUpperCase() });

const types = Object.values(pg.types.builtins);
const { database, makeInbox } = await pgliteInboxes(SCHEMA);
for (const type of types) database.parsers[type] = unusable;
describeInbox("the PostgreSQL inbox on a PGlite with type parsers of the app", makeInbox);

if (NO_SERVER !== undefined) {
  it.skip(`the PostgreSQL inbox in an app with type parsers, ${NO_SERVER}`, () => {});
} else {
  pg.defaults.parseInt8 = true;
  for (const type of types) pg.types.setTypeParser(type, unusable);
  const server = await startPostgres();
  const direct = new pg.Pool({ connectionString: server.url, max: 2 });
  const pool = new pg.Pool({
    connectionString: server.url,
    types: { getTypeParser: () => unusable as never },
    options: "-c bytea_output=escape",
  });
  const first = postgresStore(server.url, { schema: SCHEMA });
  await first.open();
  await first.close();
  const empty = async () => void (await direct.query(emptySql(SCHEMA).join(";")));

  describeInbox("the PostgreSQL inbox in an app that has set all type parsers", () =>
    emptied(postgresStore(server.url, { schema: SCHEMA }), empty),
  );
  describeInbox("the PostgreSQL inbox on a pool with type parsers of its own", () =>
    emptied(postgresStore(pool, { schema: SCHEMA }), empty),
  );

  afterAll(async () => {
    await direct.query(`DROP SCHEMA ${SCHEMA} CASCADE`);
    await direct.end();
    await pool.end();
    await server.stop();
  });
}
