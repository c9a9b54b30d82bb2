import { createServer } from "node:net";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { type PostgresOptions, readPostgresOptions } from "../../../src/inbox/postgres/options.ts";
import { postgresStore } from "../../../src/inbox/postgres.ts";
import { AT, keep, numberedEntry, sampleDelivery, sampleEntry, settlementOf } from "../entries.ts";
import { pgliteInboxes } from "./pglite.ts";
import { openServer } from "./schemas.ts";
import { NO_SERVER } from "./server.ts";

const PASSWORD = "canary-password";

/** The error with which an inbox does not open. */
async function refusal(url: string, options?: PostgresOptions): Promise<{ code?: string; message: string }> {
  try {
    const inbox = postgresStore(url, options);
    await inbox.open();
    await inbox.close();
  } catch (error) {
    return error as Error & { code?: string };
  }
  throw new Error("expected the inbox not to open");
}

describe("options of an inbox on PostgreSQL", () => {
  it.each([
    ["a URL with a space", "postgres://user:canary-password@a b/db", {}],
    ["a schema in upper case", "postgres://localhost/db", { schema: "Webhooks" }],
    ["a schema with a quote, in the URL", 'postgres://localhost/db?schema=a"b', {}],
    ["one connection", "postgres://localhost/db", { connections: 1 }],
    ["another way to migrate", "postgres://localhost/db", { migrate: "never" as "auto" }],
  ])("%s is refused at once, and no password is repeated", (_, url, options) => {
    const open = () => postgresStore(url, options);
    expect(open).toThrow(expect.objectContaining({ name: "ConfigurationError", code: "option_invalid" }));
    expect(open).toThrow(expect.not.objectContaining({ message: expect.stringContaining(PASSWORD) }));
  });

  it("the URL's parameter `schema` is for the inbox, and its others are for pg", () => {
    const { connection, schema, name } = readPostgresOptions(
      `postgres://user:${PASSWORD}@db.test:5433/app?schema=hooks&sslmode=verify-full`,
      {},
    );
    expect({ connection, schema, name }).toEqual({
      connection: `postgres://user:${PASSWORD}@db.test:5433/app?sslmode=verify-full`,
      schema: "hooks",
      name: "postgres://user@db.test:5433/app",
    });
    const only = readPostgresOptions("postgres://db.test/app?schema=hooks", {});
    expect(only.connection).toBe("postgres://db.test/app");
    const before = readPostgresOptions("postgres://db.test/app?schema=hooks&sslmode=require", {});
    expect(before.connection).toBe("postgres://db.test/app?sslmode=require");
  });
});

describe("the PostgreSQL inbox, on PGlite, refuses", async () => {
  const { database } = await pgliteInboxes("refused");
  afterAll(() => database.close());
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
    await expect(inbox.open({ access: "change" })).rejects.toMatchObject({ code: "inbox_unavailable" });
  });

  it("a schema of an older version, if it must not change it", async () => {
    await database.exec("CREATE SCHEMA old; CREATE TABLE old.migration (version int, breaking boolean)");
    await database.exec("INSERT INTO old.migration VALUES (0, true)");
    await expect(open({ schema: "old", migrate: "check" })).rejects.toMatchObject({
      code: "inbox_unavailable",
    });
  });

  it("a schema of a newer version, unless this version may use it", async () => {
    await (await open({ schema: "newer" })).close();
    await database.exec("INSERT INTO newer.migration VALUES (99, false, now())");
    expect(await (await open({ schema: "newer" })).counts()).toMatchObject({ done: 0 });
    await database.exec("UPDATE newer.migration SET breaking = true WHERE version = 99");
    await expect(open({ schema: "newer" })).rejects.toMatchObject({
      code: "inbox_newer",
      message: expect.stringContaining("got 99"),
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

  it("a row that its columns refuse, and keeps the others of the same batch", async () => {
    const inbox = await open({ schema: "refused" });
    const broken = numberedEntry(2, 0, { delivery: sampleDelivery({ receivedAt: AT + 0.5 }) });
    const results = await Promise.allSettled(
      [numberedEntry(1), broken, numberedEntry(3)].map((entry) => keep(inbox, entry)),
    );
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(results[1]).toMatchObject({ reason: { code: "inbox_unavailable" } });
    expect((await inbox.list({})).map(({ key }) => key.eventId)).toEqual(["evt_1", "evt_3"]);
  });
});

describe("the PostgreSQL inbox, on a server,", async () => {
  if (NO_SERVER !== undefined) {
    it.skip(NO_SERVER, () => {});
    return;
  }
  const { server, admin, newSchema, open } = await openServer();
  const urlWith = (parts: Partial<URL>) => Object.assign(new URL(server.url), parts).href;

  it("names what is missing: the server", async () => {
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, "127.0.0.1", resolve));
    const { port } = closed.address() as { port: number };
    await new Promise((resolve) => closed.close(resolve));
    const error = await refusal(`postgres://user:${PASSWORD}@127.0.0.1:${port}/app`);
    expect(error).toMatchObject({ code: "inbox_unreachable" });
    expect(error.message).toMatch(
      /^expected the inbox postgres:\/\/user@127.*ECONNREFUSED.*: start the server/,
    );
    expect(error.message).not.toContain(PASSWORD);
  });

  it("names what is missing: the database, or the user", async () => {
    const database = await refusal(urlWith({ pathname: "/nowhere" }));
    expect(database).toMatchObject({ code: "inbox_unavailable" });
    expect(database.message).toContain('\\"nowhere\\" does not exist": create the database');
    const user = await refusal(urlWith({ username: "nobody_here", password: PASSWORD }));
    expect(user).toMatchObject({ code: "inbox_unavailable" });
    expect(user.message).toContain("check the user");
    expect(user.message).not.toContain(PASSWORD);
  });

  it.skipIf(server.restart === undefined)("names what is wrong: the password", async () => {
    await admin.query("CREATE ROLE secured LOGIN PASSWORD 'right'");
    const error = await refusal(urlWith({ username: "secured", password: PASSWORD }));
    expect(error).toMatchObject({ code: "inbox_unavailable" });
    expect(error.message).toMatch(
      /password authentication failed.*: check the user and the password in the URL$/,
    );
    expect(error.message).not.toContain(PASSWORD);
    expect((await refusal(urlWith({ username: "secured" }))).message).toContain("the password in the URL");
  });

  it("names what is wrong: the encoding of the database", async () => {
    const name = `latin_${process.pid}`;
    await admin.query(`CREATE DATABASE ${name} ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`);
    // A server of the test's own ends with it; dropping a database there may wait for a checkpoint.
    if (server.restart === undefined)
      onTestFinished(async () => void (await admin.query(`DROP DATABASE ${name}`)));
    const error = await refusal(urlWith({ pathname: `/${name}` }));
    expect(error).toMatchObject({ code: "inbox_unavailable" });
    expect(error.message).toContain("the encoding UTF8, got LATIN1: create one");
  });

  it("names what is missing: a right to make the schema", async () => {
    const role = `poor_${process.pid}`;
    await admin.query(`CREATE ROLE ${role} LOGIN PASSWORD 'poor'`);
    onTestFinished(async () => void (await admin.query(`DROP ROLE ${role}`)));
    const error = await refusal(urlWith({ username: role, password: "poor" }), { schema: newSchema() });
    expect(error).toMatchObject({ code: "inbox_unavailable" });
    expect(error.message).toContain("permission denied");
    expect(error.message).toContain("grant the user what it lacks");
  });

  it("reports a lock that is held for long as busy, and works again once it is free", async () => {
    const schema = newSchema();
    const inbox = await open(schema);
    const other = await admin.connect();
    await other.query(`BEGIN; LOCK TABLE ${schema}.entry`);
    await expect(keep(inbox, numberedEntry(1))).rejects.toMatchObject({ code: "inbox_busy" });
    await other.query("ROLLBACK");
    other.release();
    await expect(keep(inbox, numberedEntry(2))).resolves.toMatchObject({ state: "pending" });
  });

  it.skipIf(server.restart === undefined)(
    "acknowledges nothing while the server is gone, loses nothing, and goes on when it is back",
    async () => {
      const inbox = await open(newSchema());
      await keep(inbox, numberedEntry(0));
      const [entry] = await inbox.claim({ now: AT, limit: 1, leaseTime: 1000 });
      if (entry === undefined) throw new Error("expected an entry");
      const acknowledged: number[] = [];
      const codes = new Set<string>();
      let over = false;
      const restarting = server.restart?.().then(() => {
        over = true;
      });
      for (let number = 1; !over || number < 20; number++) {
        await keep(inbox, numberedEntry(number)).then(
          () => acknowledged.push(number),
          (error) => codes.add(error.code),
        );
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      await restarting;
      expect([...codes]).toEqual(["inbox_unreachable"]);
      expect(await inbox.settle(settlementOf(entry), AT)).toBe(true);
      await keep(inbox, numberedEntry(100_000));
      const kept = new Set((await inbox.list({})).map(({ key }) => key.eventId));
      expect(acknowledged.filter((number) => !kept.has(`evt_${number}`))).toEqual([]);
    },
    60_000,
  );
});
