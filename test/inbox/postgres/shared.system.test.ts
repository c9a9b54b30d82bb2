import { describe, expect, it, onTestFinished } from "vitest";
import { createReceiver } from "../../../src/entries/index.ts";
import { sharedPostgres } from "../../../src/inbox/shared/shared-postgres.ts";
import { deliveryOf, freshEnvelope, SECRET, until } from "../../receiver/sample.ts";
import { openServer } from "./schemas.ts";
import { NO_SERVER } from "./server.ts";

describe("receivers of one process on PostgreSQL", async () => {
  if (NO_SERVER !== undefined) {
    it.skip(NO_SERVER, () => {});
    return;
  }
  const { server, admin, newSchema } = await openServer();

  it("share one pool, one connection that listens and one record, and wake each other", async () => {
    const schema = newSchema();
    const name = `shared_${schema}`;
    const url = new URL(server.url);
    url.searchParams.set("application_name", name);
    url.searchParams.set("schema", schema);
    const sessions = async () => {
      const { rows } = await admin.query(
        "SELECT query LIKE 'LISTEN%' AS listens FROM pg_stat_activity WHERE application_name = $1",
        [name],
      );
      return rows as { listens: boolean }[];
    };
    const ran: string[] = [];
    const sources = Array.from({ length: 8 }, (_, index) => `source-${index}`);
    const receivers = sources.map((source) => {
      const receiver = createReceiver({ secret: SECRET, source, inbox: url.href });
      receiver.on("*", (event) => void ran.push(event.source));
      onTestFinished(() => receiver.close());
      return receiver;
    });
    await Promise.all(receivers.map((receiver) => receiver.start()));
    const fresh = () =>
      deliveryOf(freshEnvelope({ timestamp: new Date().toISOString() }), undefined, Date.now());
    await Promise.all(receivers.map((receiver) => receiver.accept(fresh())));
    await until(() => expect([...ran].sort()).toEqual(sources));
    // a pool of 5, and the one that listens
    expect((await sessions()).length).toBeLessThanOrEqual(6);
    const { rows } = await admin.query(`SELECT sources FROM "${schema}".runner`);
    expect(rows.map((row) => JSON.parse(row.sources).length)).toEqual([8]);

    // One that only receives, and polls hardly ever, wakes the one that runs.
    const inbox = url.href;
    const [receives, runs] = (["receive", "run"] as const).map((role) =>
      createReceiver({ secret: SECRET, source: "two", role, inbox, poll: 600_000 }),
    );
    runs?.on("*", (event) => void ran.push(event.source));
    for (const receiver of [receives, runs]) {
      if (receiver !== undefined) onTestFinished(() => receiver.close());
      await receiver?.start();
    }
    await receives?.accept(fresh());
    await until(() => expect(ran).toContain("two"));

    await Promise.all(receivers.map((receiver) => receiver.close()));
    expect(await receives?.accept(fresh())).toMatchObject({ type: "accepted" });
  });

  it("have pools of their own if their options differ", async () => {
    const schema = newSchema();
    const one = sharedPostgres(server.url, { schema });
    const same = sharedPostgres(server.url, { schema });
    const other = sharedPostgres(server.url, { schema, connections: 2 });
    for (const inbox of [one, same, other]) {
      await inbox.open();
      onTestFinished(() => inbox.close());
    }
    await one.register?.({
      id: "process.1",
      version: "1",
      role: "both",
      sources: ["a"],
      kinds: [],
    });
    await same.register?.({
      id: "process.2",
      version: "1",
      role: "both",
      sources: ["b"],
      kinds: [],
    });
    const seen = async (inbox: typeof one) =>
      (await inbox.runners?.())?.map(({ sources }) => sources);
    expect(await seen(one)).toEqual([["a"], ["b"]]);
    expect(await seen(other)).toEqual([["a", "b"]]);
  });
});
