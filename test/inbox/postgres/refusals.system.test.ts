import { describe, expect, it, onTestFinished } from "vitest";
import type { PostgresOptions } from "../../../src/entries/index.ts";
import { readPostgresOptions } from "../../../src/inbox/postgres/postgres-options.ts";
import { postgresStore } from "../../../src/inbox/postgres.ts";
import { AT, sampleEntry } from "../entries.ts";
import { pgliteInboxes } from "./pglite.ts";

const PASSWORD = "canary-password";

describe("options of an inbox on PostgreSQL", () => {
  it.each([
    ["a URL with a space", "postgres://user:canary-password@a b/db", {}],
    ["a schema in upper case", "postgres://localhost/db", { schema: "Webhooks" }],
    ["a schema with a quote, in the URL", 'postgres://localhost/db?schema=a"b', {}],
    ["one connection", "postgres://localhost/db", { connections: 1 }],
    ["a part of a connection", "postgres://localhost/db", { connections: 2.5 }],
    ["another way to migrate", "postgres://localhost/db", { migrate: "never" as "auto" }],
    ["a long schema", "postgres://localhost/db", { schema: "a".repeat(41) }],
    ["a schema that begins with a digit", "postgres://localhost/db", { schema: "1a" }],
    ["an empty schema", "postgres://localhost/db", { schema: "" }],
    [
      "another URL to listen on",
      "postgres://localhost/db",
      { listenUrl: "postgres://a:canary-password@a b/db" },
    ],
  ])("%s is refused at once, and no password is repeated", (_, url, options) => {
    const open = () => postgresStore(url, options);
    expect(open).toThrow(
      expect.objectContaining({ name: "ConfigurationError", code: "option_invalid" }),
    );
    expect(open).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining(PASSWORD) }),
    );
  });

  it("what is given is taken, and what is left out has a default", () => {
    const url = "postgres://db.test/app";
    expect(readPostgresOptions(url, {})).toEqual({
      connection: url,
      name: url,
      schema: "hookporter",
      migrate: "auto",
      connections: 5,
      listenUrl: undefined,
      transaction: undefined,
      maxTransactions: 2,
      clock: Date.now,
    });
    const given = {
      schema: `_${"a".repeat(39)}`,
      migrate: "check",
      connections: 2,
      listenUrl: `${url}?a=b`,
    } as const;
    expect(readPostgresOptions(`${url}?schema=other`, given)).toMatchObject({
      ...given,
      connection: url,
    });
    const pool = { query: undefined, connect: undefined } as never;
    expect(readPostgresOptions(pool, {})).toMatchObject({
      connection: pool,
      name: "on the given connection",
    });
  });
});

describe("the PostgreSQL inbox, on PGlite, refuses", async () => {
  const { database } = await pgliteInboxes("refused");
  const open = async (options: PostgresOptions) => {
    const inbox = postgresStore(database, options);
    onTestFinished(() => inbox.close());
    await inbox.open();
    return inbox;
  };

  it("a schema that is not there, if it must not make it", async () => {
    await expect(open({ schema: "none", migrate: "check" })).rejects.toMatchObject({
      code: "inbox_unavailable",
      message: expect.stringContaining('migrate: "auto"'),
    });
    const inbox = postgresStore(database, { schema: "none" });
    await expect(inbox.open({ access: "change" })).rejects.toMatchObject({
      code: "inbox_unavailable",
    });
  });

  it("tables of which it may not see all rows", async () => {
    await database.exec(`CREATE ROLE blinded; GRANT USAGE ON SCHEMA refused TO blinded;
      GRANT SELECT ON ALL TABLES IN SCHEMA refused TO blinded; ALTER TABLE refused.turn ENABLE ROW LEVEL SECURITY`);
    onTestFinished(async () => {
      await database.exec("RESET ROLE; ALTER TABLE refused.turn DISABLE ROW LEVEL SECURITY");
      await database.exec("DROP OWNED BY blinded; DROP ROLE blinded");
    });
    const reading = postgresStore(database, { schema: "refused" });
    await reading.open({ access: "read" }); // as its owner
    await reading.close();
    await database.exec("SET ROLE blinded");
    await expect(reading.open({ access: "read" })).rejects.toMatchObject({
      code: "inbox_unavailable",
      message: expect.stringMatching(
        /row-level security on turn: ALTER TABLE refused\.turn DISABLE/,
      ),
    });
  });

  it("a write if it is open for reading", async () => {
    const inbox = postgresStore(database, { schema: "refused" });
    await inbox.open({ access: "read" });
    onTestFinished(() => inbox.close());
    expect(await inbox.list({})).toEqual([]);
    await expect(inbox.append(sampleEntry())).rejects.toMatchObject({ code: "inbox_unavailable" });
    await expect(inbox.claim({ now: AT, limit: 1, leaseTime: 1 })).rejects.toMatchObject({
      code: "inbox_unavailable",
    });
  });

  it("anything before it is opened and after it is closed", async () => {
    const inbox = postgresStore(database, { schema: "refused" });
    await inbox.close();
    await expect(inbox.append(sampleEntry())).rejects.toMatchObject({ code: "closed" });
    await inbox.open();
    await inbox.close();
    await inbox.close();
    await expect(inbox.nextRunAt()).rejects.toMatchObject({ code: "closed" });
  });
});
