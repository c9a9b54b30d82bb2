import pg from "pg";
import { afterAll, describe, it } from "vitest";
import { postgresStore } from "../../../src/inbox/postgres.ts";
import { describeInbox } from "../contract.ts";
import { emptied, emptySql } from "./pglite.ts";
import { NO_POOLER, NO_SERVER, startPooler, startPostgres } from "./server.ts";

const SCHEMA = "contract";

if (NO_SERVER !== undefined) {
  it.skip(`the PostgreSQL inbox, on a server, ${NO_SERVER}`, () => {});
} else {
  const server = await startPostgres();
  const direct = new pg.Pool({ connectionString: server.url, max: 2 });
  const first = postgresStore(server.url, { schema: SCHEMA });
  await first.open();
  await first.close();
  const empty = async () => void (await direct.query(emptySql(SCHEMA).join(";")));

  describeInbox("the PostgreSQL inbox, on a server,", () =>
    emptied(postgresStore(server.url, { schema: SCHEMA }), empty),
  );

  describe("through PgBouncer in transaction mode,", async () => {
    if (NO_POOLER !== undefined) {
      it.skip(`the PostgreSQL inbox, ${NO_POOLER}`, () => {});
      return;
    }
    const pooler = await startPooler(server);
    afterAll(() => pooler.stop());
    describeInbox("the PostgreSQL inbox", () =>
      emptied(postgresStore(pooler.url, { schema: SCHEMA, migrate: "check" }), empty),
    );
  });

  afterAll(async () => {
    await direct.query(`DROP SCHEMA ${SCHEMA} CASCADE`);
    await direct.end();
    await server.stop();
  });
}
