import { expect, it, onTestFinished } from "vitest";
import { migrateSchema, printedMigration } from "../../../src/inbox/postgres/care.ts";
import { grantsSql, MIGRATIONS } from "../../../src/inbox/postgres/migrations.ts";
import { postgresStore } from "../../../src/inbox/postgres.ts";
import { until } from "../../receiver/sample.ts";
import { sharedPglite } from "./pglite.ts";
import { servePglite } from "./pglite-server.ts";

const database = await sharedPglite();
let schemas = 0;

/** The URL of a schema, by default of one that is not there yet. */
async function newSchema(schema = `care_${++schemas}`) {
  const { url, open } = await servePglite(database, onTestFinished);
  return { schema, url: `${url}?schema=${schema}`, open };
}

/** A schema for several tests, as making one takes long. */
const MADE = "care";
const ends: (() => void)[] = [];
await migrateSchema(
  `${(await servePglite(database, (end) => ends.push(end))).url}?schema=${MADE}`,
  undefined,
);
for (const end of ends) end();

const rowsOf = async (sql: string, values: unknown[] = []) =>
  (await database.query(sql, values)).rows;

it("the statements from an older version on leave out those before, and a newer version stays", async () => {
  const { url, schema } = await newSchema();
  const newer = [...MIGRATIONS, { sql: "CREATE TABLE @.later (name text);", breaking: false }];
  const whole = await printedMigration(url, { role: undefined, all: true }, newer);
  const [first = "", second = ""] = whole.sql.split(/(?=^-- The inbox)/m);
  expect(first).toContain(`-- The inbox in the schema ${schema}, version 1\nBEGIN;\n`);
  await database.exec(first);
  expect(await printedMigration(url, { role: undefined, all: false }, newer)).toEqual({
    schema,
    from: 1,
    to: 2,
    sql: second,
  });
  expect(second).toContain(`\nCREATE TABLE "${schema}".later (name text);\n`);
  expect(await migrateSchema(url, undefined, newer)).toMatchObject({ from: 1, to: 2 });
  await database.exec(`INSERT INTO ${schema}.migration VALUES (99, false, now())`);
  expect(await printedMigration(url, { role: undefined, all: false })).toMatchObject({
    from: 99,
    to: 99,
    sql: "",
  });
});

it("a role is granted what it needs, and no more", async () => {
  const { url, schema } = await newSchema(MADE);
  await database.exec(`CREATE ROLE "Some ""app"""`);
  await migrateSchema(url, 'Some "app"');
  const may = async (kind: string, right: string, of = `'${schema}'`) => {
    const [row] = await rowsOf(`SELECT has_${kind}_privilege('Some "app"', ${of}, '${right}')`);
    return Object.values(row ?? {})[0];
  };
  const turn = `'${schema}.turn'`;
  expect(await may("schema", "USAGE")).toBe(true);
  expect(await may("schema", "CREATE")).toBe(false);
  for (const right of ["SELECT", "INSERT", "UPDATE", "DELETE"])
    expect(await may("table", right, turn)).toBe(true);
  expect(await may("table", "TRUNCATE", turn)).toBe(false);
  expect(await may("sequence", "USAGE", `'${schema}.seq'`)).toBe(true);
});

it.each([
  ["app_2", "app_2"],
  ["2app", '"2app"'],
  ["App", '"App"'],
  ["app-x", '"app-x"'],
  ['a "b"', '"a ""b"""'],
])("the role %j is named %s", (role, name) => {
  const grants = grantsSql("hooks", role).split("\n");
  expect(grants).toHaveLength(3);
  for (const grant of grants) expect(grant.endsWith(` TO ${name};`)).toBe(true);
});

it("the tables of 1.0.0-rc.1, which had a partition for each day, are refused with what to do", async () => {
  const { url, schema } = await newSchema(MADE);
  await database.exec(`CREATE TABLE ${schema}.day (first bigint PRIMARY KEY)`);
  onTestFinished(async () => void (await database.exec(`DROP TABLE ${schema}.day`)));
  const refused = {
    code: "inbox_older",
    message: expect.stringMatching(/rc\.1: copy them to a file/),
  };
  await expect(migrateSchema(url, undefined)).rejects.toMatchObject(refused);
  const inbox = postgresStore(url.split("?")[0] as string, { schema });
  await expect(inbox.open()).rejects.toMatchObject(refused);
});

it("nothing is changed in a schema of a newer version, and the connection ends", async () => {
  const { url, schema, open } = await newSchema(MADE);
  await database.exec(`INSERT INTO ${schema}.migration VALUES (99, true, now())`);
  onTestFinished(
    async () => void (await database.exec(`DELETE FROM ${schema}.migration WHERE version = 99`)),
  );
  await expect(migrateSchema(url, undefined)).rejects.toMatchObject({ code: "inbox_newer" });
  await until(() => expect([...open]).toEqual([]));
});
