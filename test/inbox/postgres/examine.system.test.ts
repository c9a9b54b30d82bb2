import { beforeEach, expect, it, onTestFinished } from "vitest";
import { examineDatabase } from "../../../src/inbox/postgres/examine.ts";
import { postgresStore } from "../../../src/inbox/postgres.ts";
import { until } from "../../receiver/sample.ts";
import { keep, numberedEntry } from "../entries.ts";
import { pgliteInboxes } from "./pglite.ts";
import { type Serving, servePglite } from "./pglite-server.ts";

const SCHEMA = "examined";
const { database, empty } = await pgliteInboxes(SCHEMA);

beforeEach(empty);

const examine = async (schema = SCHEMA, serving: Serving = {}) => {
  const { url, open } = await servePglite(database, onTestFinished, serving);
  const facts = await examineDatabase(`${url}?schema=${schema}`);
  await until(() => expect([...open]).toEqual([]));
  return facts;
};

/** Runs statements, and others once the test has ended. */
async function during(sql: string, after: string): Promise<void> {
  await database.exec(sql);
  onTestFinished(async () => void (await database.exec(after)));
}

/** Connections are those of a user without any right, until the test has ended. */
const asNobody = (role: string, grants = "") =>
  during(
    `CREATE ROLE ${role}; ${grants}; SET ROLE ${role}`,
    `RESET ROLE; DROP OWNED BY ${role}; DROP ROLE ${role}`,
  );

it("a table that is never vacuumed is found, or a server that vacuums nothing, and a standby", async () => {
  await during(
    `ALTER TABLE ${SCHEMA}.turn SET (autovacuum_enabled = false)`,
    `ALTER TABLE ${SCHEMA}.turn RESET (autovacuum_enabled)`,
  );
  expect((await examine()).tables?.neverVacuumed).toBe("table");
  const off = await examine(SCHEMA, {
    understand: ["pg_catalog.current_setting('autovacuum')", "'off'"],
  });
  expect(off.tables?.neverVacuumed).toBe("server");
  const standby = await examine(SCHEMA, { understand: ["pg_catalog.pg_is_in_recovery()", "true"] });
  expect(standby.server.isStandby).toBe(true);
});

it("a user who lacks single rights is told each of them", async () => {
  await asNobody(
    "nobody_2",
    `GRANT USAGE ON SCHEMA ${SCHEMA} TO nobody_2;
     GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${SCHEMA} TO nobody_2;
     GRANT USAGE ON ALL SEQUENCES IN SCHEMA ${SCHEMA} TO nobody_2;
     REVOKE UPDATE, DELETE ON ${SCHEMA}.turn FROM nobody_2;
     REVOKE USAGE ON SEQUENCE ${SCHEMA}.seq FROM nobody_2;
     ALTER TABLE ${SCHEMA}.dead_or_received ENABLE ROW LEVEL SECURITY`,
  );
  onTestFinished(
    async () =>
      void (await database.exec(
        `RESET ROLE; ALTER TABLE ${SCHEMA}.dead_or_received DISABLE ROW LEVEL SECURITY`,
      )),
  );
  const { lacks, tables } = await examine();
  expect(lacks).toEqual([
    "USAGE on seq",
    "DELETE on turn",
    "UPDATE on turn",
    "all rows (row-level security) of dead_or_received",
  ]);
  expect(tables).toBeUndefined();
});

it.each<[string, Serving]>([
  ["the connection cannot listen", { onListen: (socket) => void socket.destroy() }],
  ["the connection is lost meanwhile", { notify: (socket) => void socket.destroy() }],
  ["they are lost on the way", { notify: () => {} }],
])("notifications do not arrive if %s", async (_, serving) => {
  expect((await examine(SCHEMA, serving)).notifies).toBe(false);
});

it("settings that harm the inbox are shown, and whether the user may create a schema", async () => {
  const usual = (await examine()).server;
  expect(usual.mayCreate).toBe(true);
  await during("SET enable_indexscan = off", "RESET enable_indexscan");
  const { harmful } = (await examine()).server;
  expect(harmful.filter((shown) => !usual.harmful.includes(shown))).toEqual([
    "enable_indexscan = off",
  ]);
  await asNobody("nobody_4");
  expect((await examine("not_there")).server.mayCreate).toBe(false);
});

it("what is due since when is told, and how many rows are believed to be there once that is known", async () => {
  const none = (await examine()).tables;
  expect(none).toMatchObject({ due: 0, oldestDue: null });
  const inbox = postgresStore(database, { schema: SCHEMA });
  await inbox.open();
  const now = Date.now();
  await keep(inbox, numberedEntry(1, 0, { runAt: now - 5000 }));
  await inbox.close();
  await database.exec(`ANALYZE ${SCHEMA}.turn`);
  expect((await examine()).tables).toMatchObject({
    due: 1,
    oldestDue: now - 5000,
    believedRows: 1,
  });
});
