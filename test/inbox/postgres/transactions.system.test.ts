import pg from "pg";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { createReceiver, type PostgresOptions } from "../../../src/entries/index.ts";
import { postgresStore } from "../../../src/inbox/postgres.ts";
import { handleOf } from "../../../src/inbox/shared/handle.ts";
import { inboxOf } from "../../../src/receiver/inbox-view.ts";
import { deliveryNow, keptLog, SECRET, until } from "../../receiver/sample.ts";
import { describeTransactions } from "../../receiver/transactions-contract.ts";
import { emptySql } from "./pglite.ts";
import { NO_POOLER, NO_SERVER, startPooler, startPostgres } from "./server.ts";

const SCHEMA = "transactions";

if (NO_SERVER !== undefined) {
  it.skip(`handlers with tx, ${NO_SERVER}`, () => {});
} else {
  const server = await startPostgres();
  const direct = new pg.Pool({ connectionString: server.url, max: 2 });
  const first = postgresStore(server.url, { schema: SCHEMA });
  await first.open();
  await first.close();
  await direct.query("CREATE TABLE IF NOT EXISTS effect (event text, handler text)");

  const on = async (url: string, options: PostgresOptions = {}) => {
    await direct.query(emptySql(SCHEMA).join(";"));
    return {
      schema: SCHEMA,
      makeInbox: () => postgresStore(url, { schema: SCHEMA, migrate: "check", ...options }),
      query: async (text: string) => (await direct.query(text)).rows,
    };
  };

  describeTransactions("on a server", () => on(server.url));

  describe("with a pool of the user's", () => {
    const pool = new pg.Pool({ connectionString: server.url, max: 5 });
    afterAll(() => pool.end());
    describeTransactions("on a server", async () => ({
      ...(await on(server.url)),
      makeInbox: () => postgresStore(pool, { schema: SCHEMA, migrate: "check" }),
    }));
  });

  const ownPool = new pg.Pool({ connectionString: server.url, max: 4 });
  ownPool.on("error", () => {}); // the server ends first
  afterAll(() => ownPool.end());
  it.each<[string, () => ReturnType<typeof postgresStore>]>([
    ["the inbox's own pool", () => postgresStore(server.url, { schema: SCHEMA, connections: 4 })],
    ["a pool of the user's", () => postgresStore(ownPool, { schema: SCHEMA })],
  ])(
    "on %s, no setting of one handler reaches the next, and no statement hides another one",
    async (_, make) => {
      await on(server.url);
      const inbox = make();
      const log = keptLog();
      const receiver = createReceiver({
        secret: SECRET,
        inbox: handleOf(inbox),
        log: log.log,
        concurrency: 10,
      });
      const seen: unknown[] = [];
      const hidden: unknown[] = [];
      receiver.on(
        "payment.received",
        async (_event, { tx }) => {
          const sql =
            "SELECT current_setting('app.tenant', true) AS tenant, current_setting('statement_timeout') AS ms, current_user AS name";
          seen.push((await tx.query(sql)).rows[0]);
          await tx.query("SET statement_timeout = 7777");
          await tx.query("SELECT set_config('app.tenant', 'acme', false)");
          if (inbox.insideLimit === 1 && hidden.length === 0) {
            hidden.push(0);
            await tx.query("SELECT 1; COMMIT; BEGIN");
          }
        },
        { tx: true },
      );
      await receiver.start();
      onTestFinished(() => receiver.close());
      for (let n = 0; n < 4; n++) await receiver.accept(deliveryNow({ data: { n } }));
      await until(async () =>
        expect(await inboxOf(receiver).counts()).toMatchObject({ handled: 4 }),
      );
      for (const one of seen) expect(one).toMatchObject({ ms: expect.stringMatching(/^(?!7777)/) });
      expect(seen.map((one) => (one as { tenant: string | null }).tenant ?? "")).toEqual(
        seen.map(() => ""),
      );
      const failures = (
        await Promise.all(
          (await inboxOf(receiver).list({})).map(({ seq }) => inboxOf(receiver).attempts(seq)),
        )
      ).flat();
      expect(failures.filter(({ error }) => error?.includes("multiple commands"))).toHaveLength(1);
      expect(log.lines).toContainEqual(
        expect.objectContaining({ fields: { places: 1, concurrency: 10 } }),
      );
    },
  );

  describe("through PgBouncer in transaction mode", async () => {
    if (NO_POOLER !== undefined) {
      it.skip(`handlers with tx, ${NO_POOLER}`, () => {});
      return;
    }
    const pooler = await startPooler(server);
    afterAll(() => pooler.stop());
    describeTransactions("on a server", () => on(pooler.url));
  });

  afterAll(async () => {
    await direct.query(`DROP SCHEMA ${SCHEMA} CASCADE; DROP TABLE effect`);
    await direct.end();
    await server.stop();
  });
}
