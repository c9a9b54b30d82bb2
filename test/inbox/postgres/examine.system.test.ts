import { beforeEach, expect, it, onTestFinished } from "vitest";
import { examineDatabase } from "../../../src/inbox/postgres/examine.ts";
import { SCHEMA_VERSION } from "../../../src/inbox/postgres/migrations.ts";
import { until } from "../../receiver/sample.ts";
import { AT, keep, numberedEntry, settlementOf } from "../entries.ts";
import { pgliteInboxes } from "./pglite.ts";
import { type Serving, servePglite } from "./pglite-server.ts";

const SCHEMA = "examined";
const DAY = 86_400_000;
const { database, empty, makeInbox } = await pgliteInboxes(SCHEMA);

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

it("an empty inbox has no entries, and nothing is wrong with it", async () => {
  const { server, tables, ...facts } = await examine();
  expect(facts).toEqual({
    schema: SCHEMA_VERSION,
    newestSchema: SCHEMA_VERSION,
    name: SCHEMA,
    notifies: true,
    lacks: [],
  });
  expect(server).toEqual({
    version: expect.stringMatching(/^\d+\.\d+$/),
    encoding: "UTF8",
    isStandby: false,
    user: "postgres",
    mayCreate: true,
    harmful: [],
  });
  expect(tables).toMatchObject({
    waiting: 0,
    failing: 0,
    due: 0,
    oldestDue: null,
    dead: 0,
    processes: [],
    senders: [],
    pauses: { paused: [], retries: [] },
    neverVacuumed: undefined,
    oldestTransaction: 0,
  });
  expect(tables?.bytes).toBeGreaterThan(100_000);
  expect(tables?.daysLeft).toBeGreaterThan(2 * DAY);
  expect(tables?.daysLeft).toBeLessThanOrEqual(4 * DAY);
});

it("nothing is made if there is no inbox, and tables of an older version are not read", async () => {
  const nowhere = { schema: 0, newestSchema: SCHEMA_VERSION, tables: undefined, notifies: true };
  expect(await examine("nowhere")).toMatchObject({ ...nowhere, lacks: [] });
  const { rows } = await database.query("SELECT FROM pg_namespace WHERE nspname = 'nowhere'");
  expect(rows).toEqual([]);
  await during(
    `UPDATE ${SCHEMA}.migration SET version = 0`,
    `UPDATE ${SCHEMA}.migration SET version = ${SCHEMA_VERSION}`,
  );
  expect(await examine()).toMatchObject(nowhere);
});

it("what waits, fails, is due and is dead is counted, and what was noted is read", async () => {
  const inbox = makeInbox();
  await inbox.open();
  onTestFinished(() => inbox.close());
  for (const number of [1, 2, 3, 4]) await keep(inbox, numberedEntry(number, number));
  await keep(inbox, numberedEntry(5, 0, { runAt: Date.now() + DAY }));
  const parts = { state: "dead", reason: "invalid_json" } as const;
  await keep(inbox, numberedEntry(6, 0, parts));
  await keep(inbox, numberedEntry(7, 0, parts));
  await inbox.drop({ seqs: [7] }, AT);
  const [failed, running] = await inbox.claim({ now: AT + 2, limit: 2, leaseTime: 1e12 });
  expect(running).toBeDefined();
  if (failed !== undefined)
    await inbox.settle(settlementOf(failed, { state: "failing", runAt: AT + 9 }), AT);
  await inbox.pause?.({ scope: "kind", name: "lead.*", since: AT, who: "me" });
  await inbox.recordSender?.({ source: "service", days: [], authentic: { first: AT, last: AT } });
  const other = { version: "1", role: "run", sources: ["service"], kinds: ["*"] } as const;
  await inbox.register?.({ id: "other", ...other });
  const { tables } = await examine();
  expect(tables).toMatchObject({
    waiting: 5,
    failing: 1,
    due: 3,
    oldestDue: AT + 3,
    dead: 1,
    processes: [{ id: "other" }],
    senders: [{ source: "service" }],
    pauses: { paused: [{ scope: "kind", name: "lead.*" }] },
  });
});

it("rows that are dead, and what the planner believes, are those of the busiest table", async () => {
  const fill = `INSERT INTO ${SCHEMA}.turn (seq, key_timestamp, received_at, dated, source, behind, run_at, attempts, finished_handlers)
    SELECT i, 0, 0, 0, 'service', false, 0, 0, '[]' FROM generate_series(1, 70) i`;
  await database.exec(`TRUNCATE ${SCHEMA}.turn; ${fill}; ANALYZE ${SCHEMA}.turn`);
  expect((await examine()).tables?.believedRows).toBe(70);
  await database.exec(`DELETE FROM ${SCHEMA}.turn WHERE seq > 40`);
  await database.exec("SELECT pg_stat_force_next_flush()");
  await until(async () =>
    expect((await examine()).tables).toMatchObject({ deadRows: 30, liveRows: 40 }),
  );
  await database.exec(`TRUNCATE ${SCHEMA}.turn`);
  expect((await examine()).tables?.believedRows).toBeUndefined();
});

it("a table that is never vacuumed is found, or a server that vacuums nothing, and a standby", async () => {
  await during(
    `ALTER TABLE ${SCHEMA}.turn SET (autovacuum_enabled = false)`,
    `ALTER TABLE ${SCHEMA}.turn RESET (autovacuum_enabled)`,
  );
  expect((await examine()).tables?.neverVacuumed).toBe("table");
  const off = await examine(SCHEMA, { understand: ["current_setting('autovacuum')", "'off'"] });
  expect(off.tables?.neverVacuumed).toBe("server");
  const standby = await examine(SCHEMA, { understand: ["pg_is_in_recovery()", "true"] });
  expect(standby.server.isStandby).toBe(true);
});

it("settings that hurt are named", async () => {
  await during("SET enable_indexscan = off; SET statement_timeout = 4000", "RESET ALL");
  expect((await examine()).server.harmful).toEqual([
    "enable_indexscan = off",
    "statement_timeout = 4s",
  ]);
});

it("a user without rights on the schema is told so", async () => {
  await asNobody("nobody_1");
  await expect(examine()).rejects.toMatchObject({
    code: "inbox_unavailable",
    message: expect.stringContaining("permission denied for schema"),
  });
  const { server, schema } = await examine("nowhere");
  expect(server).toMatchObject({ user: "nobody_1", mayCreate: false });
  expect(schema).toBe(0);
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
