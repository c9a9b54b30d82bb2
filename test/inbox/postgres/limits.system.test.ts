import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { postgresStore } from "../../../src/inbox/postgres.ts";
import { keep, numberedEntry } from "../entries.ts";
import { openServer } from "./schemas.ts";
import { NO_SERVER } from "./server.ts";

describe("an inbox on a server at its limits", async () => {
  if (NO_SERVER !== undefined || process.env.HOOKPORTER_POSTGRES_URL !== undefined) {
    it.skip(NO_SERVER ?? "skipped: this server is another's", () => {});
    return;
  }
  const { server, newSchema, open } = await openServer({
    max_connections: "16",
    superuser_reserved_connections: "0",
  });

  it("does not open while the server has no connection left, says that it is busy, and opens after that", async () => {
    const schema = newSchema();
    await (await open(schema)).close();
    const others: pg.Client[] = [];
    onTestFinished(async () => void (await Promise.all(others.map((client) => client.end()))));
    for (;;) {
      const client = new pg.Client({ connectionString: server.url });
      client.on("error", () => {});
      try {
        await client.connect();
      } catch {
        break;
      }
      others.push(client);
    }
    const inbox = postgresStore(server.url, { schema });
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
  });
});
