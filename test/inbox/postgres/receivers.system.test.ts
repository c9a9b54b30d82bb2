import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { createReceiver } from "../../../src/entries/index.ts";
import { handleOf } from "../../../src/inbox/shared/handle.ts";
import { sharedPostgres } from "../../../src/inbox/shared/shared-postgres.ts";
import { tempFolder } from "../../cli/fake-io.ts";
import { expectHandedOnOverKill } from "../../hand-on/over-kill.ts";
import { describeSameHandlers } from "../../receiver/same-handlers-contract.ts";
import {
  deliveryNow,
  deliveryOf,
  freshEnvelope,
  keptLog,
  NOW,
  SECRET,
  until,
} from "../../receiver/sample.ts";
import { sampleRunner } from "../entries.ts";
import { describeRoleProcesses } from "../role-processes.ts";
import { openServer } from "./schemas.ts";
import { NO_SERVER } from "./server.ts";

const CHILD = join(import.meta.dirname, "..", "..", "receiver", "children", "drains.js");

describe("receivers on PostgreSQL", async () => {
  if (NO_SERVER !== undefined) {
    it.skip(NO_SERVER, () => {});
    return;
  }
  const { server, admin, newSchema, open } = await openServer();

  describeSameHandlers("PostgreSQL, on a server", () => `${server.url}?schema=${newSchema()}`);

  describeRoleProcesses("a server", () => {
    const schema = newSchema();
    return { path: server.url, schema, look: () => open(schema) };
  });

  it("of one process share one pool, one connection that listens and one record, and wake each other", async () => {
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
    await Promise.all(receivers.map((receiver) => receiver.accept(deliveryNow())));
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
    await receives?.accept(deliveryNow());
    await until(() => expect(ran).toContain("two"));

    await Promise.all(receivers.map((receiver) => receiver.close()));
    expect(await receives?.accept(deliveryNow())).toMatchObject({ type: "accepted" });
  });

  it("of one process have pools of their own if their options differ", async () => {
    const schema = newSchema();
    const one = sharedPostgres(server.url, { schema });
    const same = sharedPostgres(server.url, { schema });
    const other = sharedPostgres(server.url, { schema, connections: 2 });
    for (const inbox of [one, same, other]) {
      await inbox.open();
      onTestFinished(() => inbox.close());
    }
    await one.register(sampleRunner({ id: "process.1", sources: ["a"], kinds: [] }), Date.now());
    await same.register(sampleRunner({ id: "process.2", sources: ["b"], kinds: [] }), Date.now());
    const seen = async (inbox: typeof one) => (await inbox.runners()).map(({ sources }) => sources);
    expect(await seen(one)).toEqual([["a"], ["b"]]);
    expect(await seen(other)).toEqual([["a", "b"]]);
  });

  it("whose database only reads are not ready, say why once, and are ready again by themselves", async () => {
    const schema = newSchema();
    const inbox = await open(schema, { connections: 2 });
    const { log, lines } = keptLog();
    const receiver = createReceiver({
      secret: SECRET,
      inbox: handleOf(inbox),
      log,
      clock: () => NOW,
    });
    await receiver.start();
    onTestFinished(() => receiver.close());
    const send = async () => (await receiver.accept(deliveryOf(freshEnvelope()))).type;
    expect(await send()).toBe("accepted");
    const name = new URL(server.url).pathname.slice(1) || "postgres";
    const writable = (is: boolean) =>
      admin.query(
        `ALTER DATABASE "${name}" SET default_transaction_read_only = ${is ? "off" : "on"}`,
      );
    const reconnect = () =>
      admin.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'hookporter%' AND pid <> pg_backend_pid()",
      );
    await writable(false);
    await reconnect();
    await expect.poll(send).toBe("unavailable");
    await expect.poll(() => send().then(() => receiver.refusing)).toBe("inbox_read_only");
    expect(receiver.ready).toBe(false);
    const said = lines.filter(({ message }) => message.startsWith("could not store a delivery"));
    expect(new Set(said.map(({ fields }) => (fields as { error: string }).error)).size).toBe(
      said.length,
    );
    await writable(true);
    await reconnect();
    await expect.poll(() => receiver.refusing, { timeout: 15_000 }).toBeUndefined();
    expect(await send()).toBe("accepted");
  });

  it("that only drained end by themselves, with no connection left", {
    timeout: 90_000,
  }, async () => {
    const inbox = `${server.url}?schema=${newSchema()}`;
    const { log } = keptLog();
    const receiver = createReceiver({ secret: SECRET, inbox, role: "receive", log });
    await receiver.start();
    for (let number = 0; number < 20; number++) await receiver.accept(deliveryNow());
    await receiver.close();
    const { stdout } = await promisify(execFile)(process.execPath, [CHILD, inbox], {
      timeout: 30_000,
    });
    const report = { handled: 20, dead: 0, received: 0, failing: 0, waiting: 0, returned: 0 };
    expect(JSON.parse(stdout)).toEqual({ report, isNextKnown: false, timers: [], resources: [] });
  });

  it("that hand events on lose nothing if they are killed while batches are on their way", {
    retry: 0,
  }, async () => {
    const schema = newSchema();
    const url = `${server.url}?schema=${schema}`;
    await expectHandedOnOverKill(url, tempFolder(), () => open(schema));
  });
});
