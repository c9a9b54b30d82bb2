import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { PostgresOptions } from "../../../src/entries/index.ts";
import type { Inbox } from "../../../src/inbox/inbox.ts";
import { MIGRATIONS, type Migration } from "../../../src/inbox/postgres/migrations.ts";
import { postgresStore } from "../../../src/inbox/postgres.ts";
import { claimOne, keep, numberedEntry, settlementOf } from "../entries.ts";
import { contentOf, fillEveryState } from "../transfer/every-state.ts";
import { sharedPglite } from "./pglite.ts";

const database = await sharedPglite();
let schemas = 0;
let schema: string;

beforeEach(() => {
  schema = `migrated_${++schemas}`;
});

/**
 * What a later release may add; a function shows that its statements are not taken for the
 * migration's.
 */
const sql = `
  -- Where it runs.
  ALTER TABLE @.runner ADD COLUMN place text;
  CREATE TABLE @.later (name text);
  CREATE FUNCTION @.twice(n int) RETURNS int LANGUAGE plpgsql AS $body$
  BEGIN
    n := 2 * n;
    RETURN n;
  END $body$;
  INSERT INTO @.later VALUES ('a')`;
const NEWER: readonly Migration[] = [...MIGRATIONS, { sql, breaking: false }];
const BREAKING: readonly Migration[] = [...MIGRATIONS, { sql, breaking: true }];

/** Opens the inbox as its owner; it is closed with the test. */
async function open(
  migrations?: readonly Migration[],
  options: PostgresOptions = {},
): Promise<Inbox> {
  const inbox = postgresStore(database, { schema, ...options }, undefined, migrations);
  await inbox.open();
  onTestFinished(() => inbox.close());
  return inbox;
}

const versionOf = async () =>
  (
    await database.query<{ version: number }>(
      `SELECT max(version) AS version FROM ${schema}.migration`,
    )
  ).rows[0]?.version;

/** Keeps an event and handles it. */
async function handleOne(inbox: Inbox, number: number): Promise<void> {
  const { seq } = await keep(inbox, numberedEntry(number));
  const [claimed] = await inbox.claim({ now: Date.now(), limit: 1, leaseTime: 1000, only: seq });
  expect(await inbox.settle(settlementOf(claimed ?? { seq, lease: "" }), Date.now())).toBe(true);
}

describe("an inbox on PostgreSQL of the first schema, opened by a program with a second one", () => {
  it("has all its entries, runs and deliveries afterwards, and goes on", async () => {
    const before = await open();
    await fillEveryState(before);
    const content = await contentOf(before);
    await before.close();
    const inbox = await open(NEWER);
    expect(await versionOf()).toBe(2);
    expect((await database.query(`SELECT ${schema}.twice(2) AS four`)).rows).toEqual([{ four: 4 }]);
    expect((await database.query(`SELECT name FROM ${schema}.later`)).rows).toEqual([
      { name: "a" },
    ]);
    expect(await contentOf(inbox)).toEqual(content);
    await handleOne(inbox, 10);
  });

  it("is refused and left as it is if it must not change tables", async () => {
    await (await open()).close();
    const older = {
      code: "inbox_older",
      message: expect.stringMatching(/^expected schema version 2 .*, got 1: run .*inbox migrate/),
    };
    await expect(open(NEWER, { migrate: "check" })).rejects.toMatchObject(older);
    for (const access of ["change", "read"] as const) {
      const inbox = postgresStore(database, { schema }, undefined, NEWER);
      await expect(inbox.open({ access })).rejects.toMatchObject(older);
    }
    expect(await versionOf()).toBe(1);
  });

  it("is migrated once if two processes do so at the same time", async () => {
    await (await open()).close();
    await Promise.all([open(NEWER), open(NEWER)]);
    expect((await database.query(`SELECT name FROM ${schema}.later`)).rows).toHaveLength(1);
  });

  it("keeps the first schema and its entries if the migration fails, and is migrated later", async () => {
    const before = await open();
    await keep(before, numberedEntry(1));
    await before.close();
    const failing = [...MIGRATIONS, { sql: `${sql};\nSELECT nothing;\n`, breaking: true }];
    await expect(open(failing)).rejects.toMatchObject({ code: "inbox_unavailable" });
    expect(await versionOf()).toBe(1);
    const inbox = await open();
    expect(await claimOne(inbox)).toMatchObject({ seq: 1 });
    await open(NEWER);
    expect(await versionOf()).toBe(2);
  });
});

describe("a program with the first schema, on an inbox of PostgreSQL with the second", () => {
  it("shares it with newer ones, and may start on it, unless the migration says otherwise", async () => {
    const running = await open();
    const newer = await open(NEWER);
    await handleOne(running, 1);
    await handleOne(newer, 2);
    await handleOne(await open(), 3);
    expect(await newer.list({})).toHaveLength(3);
  });

  it("is refused with what to do if the migration says so; one that runs goes on", async () => {
    const running = await open();
    await open(BREAKING);
    for (const access of ["own", "change", "read"] as const) {
      await expect(postgresStore(database, { schema }).open({ access })).rejects.toMatchObject({
        code: "inbox_newer",
        message: expect.stringMatching(
          /^expected schema version 1 or older .*, got 2: update hookporter$/,
        ),
      });
    }
    await handleOne(running, 1);
  });
});
