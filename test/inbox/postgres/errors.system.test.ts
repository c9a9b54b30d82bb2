import { createServer } from "node:net";
import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import type { PostgresOptions } from "../../../src/entries/index.ts";
import { postgresStore } from "../../../src/inbox/postgres.ts";
import { AT, keep, numberedEntry, settlementOf } from "../entries.ts";
import { openServer } from "./schemas.ts";
import { NO_SERVER, startPostgres } from "./server.ts";

const PASSWORD = "canary-password";

/** The error with which an inbox does not open. */
async function refusal(
  url: string,
  options?: PostgresOptions,
): Promise<{ code?: string; message: string }> {
  try {
    const inbox = postgresStore(url, options);
    await inbox.open();
    await inbox.close();
  } catch (error) {
    return error as Error & { code?: string };
  }
  throw new Error("expected the inbox not to open");
}

describe("the PostgreSQL inbox, on a server,", async () => {
  if (NO_SERVER !== undefined) {
    it.skip(NO_SERVER, () => {});
    return;
  }
  const { server, admin, newSchema, open } = await openServer();
  const urlWith = (parts: Partial<URL>) => Object.assign(new URL(server.url), parts).href;

  it("names what is missing: the server, the database, or the user", async () => {
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, "127.0.0.1", resolve));
    const { port } = closed.address() as { port: number };
    await new Promise((resolve) => closed.close(resolve));
    const error = await refusal(`postgres://user:${PASSWORD}@127.0.0.1:${port}/app`);
    expect(error).toMatchObject({ code: "inbox_unreachable" });
    expect(error.message).toMatch(
      /^expected the inbox postgres:\/\/user@127.*ECONNREFUSED.*: start the server/,
    );
    const database = await refusal(urlWith({ pathname: "/nowhere" }));
    expect(database).toMatchObject({ code: "inbox_unavailable" });
    expect(database.message).toContain('\\"nowhere\\" does not exist": create the database');
    const user = await refusal(urlWith({ username: "nobody_here", password: PASSWORD }));
    expect(user).toMatchObject({ code: "inbox_unavailable" });
    expect(user.message).toContain("check the user");
    for (const { message } of [error, user]) expect(message).not.toContain(PASSWORD);
  });

  it.skipIf(server.restart === undefined)("names what is wrong: the password", async () => {
    await admin.query("CREATE ROLE secured LOGIN PASSWORD 'right'");
    const error = await refusal(urlWith({ username: "secured", password: PASSWORD }));
    expect(error).toMatchObject({ code: "inbox_unavailable" });
    expect(error.message).toMatch(
      /password authentication failed.*: check the user and the password in the URL$/,
    );
    expect(error.message).not.toContain(PASSWORD);
    expect((await refusal(urlWith({ username: "secured" }))).message).toContain(
      "the password in the URL",
    );
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

  it("reports a lock that is held for long as busy, and works again once it is free", async () => {
    const schema = newSchema();
    const inbox = await open(schema);
    const other = await admin.connect();
    await other.query(`BEGIN; LOCK TABLE ${schema}.entry`);
    await expect(keep(inbox, numberedEntry(1))).rejects.toMatchObject({ code: "inbox_busy" });
    await other.query("ROLLBACK");
    other.release();
    await expect(keep(inbox, numberedEntry(2))).resolves.toMatchObject({ state: "waiting" });
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

  it.skipIf(server.restart === undefined)(
    "does not open while the server has no connection left, says that it is busy, and opens after that",
    async () => {
      const limits = { max_connections: "16", superuser_reserved_connections: "0" };
      const small = await startPostgres(limits);
      onTestFinished(() => small.stop());
      const others: pg.Client[] = [];
      onTestFinished(async () => void (await Promise.all(others.map((client) => client.end()))));
      for (;;) {
        const client = new pg.Client({ connectionString: small.url });
        client.on("error", () => {});
        try {
          await client.connect();
        } catch {
          break;
        }
        others.push(client);
      }
      const inbox = postgresStore(small.url);
      await expect(inbox.open()).rejects.toMatchObject({ code: "inbox_busy" });
      await Promise.all(others.splice(0).map((client) => client.end()));
      await expect
        .poll(() =>
          inbox.open().then(
            () => "open",
            (thrown) => thrown.code,
          ),
        )
        .toBe("open");
      onTestFinished(() => inbox.close());
      expect(await keep(inbox, numberedEntry(1))).toMatchObject({ duplicate: false });
    },
    60_000,
  );
});
