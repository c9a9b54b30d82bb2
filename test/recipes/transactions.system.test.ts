import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { createReceiver, type PostgresOptions } from "../../src/entries/index.ts";
import { revocableTransaction } from "../../src/inbox/postgres/transaction.ts";
import { postgresStore } from "../../src/inbox/postgres.ts";
import { handleOf } from "../../src/inbox/shared/handle.ts";
import { inboxOf } from "../../src/receiver/inbox-view.ts";
import { codeOf, readPage, root } from "../docs/markdown.ts";
import { emptySql } from "../inbox/postgres/pglite.ts";
import { NO_SERVER, startPostgres } from "../inbox/postgres/server.ts";
import { deliveryOf, freshEnvelope, SECRET, until } from "../receiver/sample.ts";
import { describeTransactions } from "../receiver/transactions-contract.ts";
import { skip } from "../strangers/programs.ts";
import { NO_PACKAGES } from "./install.ts";

const SCHEMA = "recipes";

if (NO_SERVER !== undefined) {
  it.skip(`handlers with tx of other libraries, ${NO_SERVER}`, () => {});
} else if (NO_PACKAGES !== undefined) {
  it("handlers with tx of other libraries", (context) => skip(context, `${NO_PACKAGES}`));
} else {
  const { Kysely, PostgresDialect } = await import("kysely");
  const server = await startPostgres();
  const admin = new pg.Pool({ connectionString: server.url, max: 1 });
  await admin.query(`CREATE DATABASE ${SCHEMA} TEMPLATE template0`);
  const url = new URL(server.url);
  url.pathname = SCHEMA;
  const direct = new pg.Pool({ connectionString: url.href, max: 2 });
  const first = postgresStore(url.href, { schema: SCHEMA });
  await first.open();
  await first.close();
  await direct.query("CREATE TABLE effect (event text, handler text)");
  await direct.query("CREATE TABLE payment (event text PRIMARY KEY)");

  const on = async (options: PostgresOptions = {}) => {
    await direct.query(emptySql(SCHEMA).join(";"));
    return {
      schema: SCHEMA,
      makeInbox: () => postgresStore(url.href, { schema: SCHEMA, migrate: "check", ...options }),
      query: async (text: string) => (await direct.query(text)).rows,
    };
  };

  describe("with transactions of Kysely", () => {
    const db = new Kysely({
      dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: url.href, max: 5 }) }),
    });
    afterAll(() => db.destroy());
    const transaction: PostgresOptions["transaction"] = (run) =>
      db.transaction().execute((trx) => {
        const ask = async (text: string, values: readonly unknown[] = []) => {
          const { rows, numAffectedRows } = await trx.executeQuery({
            sql: text,
            parameters: values,
            query: { kind: "RawNode", sqlFragments: [text], parameters: [] },
            queryId: { queryId: "own" },
          });
          return { rows, rowCount: Number(numAffectedRows ?? rows.length) };
        };
        const statements = {
          query: (text: unknown, values?: unknown[]) => ask(String(text), values),
        };
        return run(revocableTransaction(statements).tx, ask);
      });
    describeTransactions("on a server", () => on({ transaction }));
  });

  it.each(["drizzle", "Kysely"])(
    "the recipe of the docs for %s writes in the handler's transaction",
    async (name) => {
      const { makeInbox, query } = await on();
      await query("DELETE FROM payment");
      const codes = codeOf(readPage("docs/reference/transactions.md"), "ts");
      const code = codes.find((code) => code.includes(`import { ${name}`)) ?? "";
      const folder = mkdtempSync(join(import.meta.dirname, "recipe-"));
      onTestFinished(() => rmSync(folder, { recursive: true }));
      const index = join(root, "src", "entries", "index.ts");
      writeFileSync(
        join(folder, "recipe.ts"),
        code.replaceAll('"hookporter"', JSON.stringify(index)),
      );
      const { default: handlers } = await import(join(folder, "recipe.ts"));
      const receiver = createReceiver({ secret: SECRET, inbox: handleOf(makeInbox()), handlers });
      let runs = 0;
      receiver.on("payment.received", () => {
        if (++runs === 1) throw new Error("not yet");
      });
      await receiver.start();
      onTestFinished(() => receiver.close());
      const envelope = freshEnvelope({ timestamp: new Date().toISOString() });
      await receiver.accept(deliveryOf(envelope, undefined, Date.now()));
      await until(async () =>
        expect(await inboxOf(receiver).counts()).toMatchObject({ handled: 1 }),
      );
      expect(await query("SELECT count(*)::int AS n FROM payment")).toEqual([{ n: 1 }]);
    },
  );

  afterAll(async () => {
    await direct.end();
    // PostgreSQL waits some seconds for connections that are about to close.
    await admin.query(`DROP DATABASE ${SCHEMA}`);
    await admin.end();
    await server.stop();
  });
}
