import { expect, it, onTestFinished } from "vitest";
import type { PostgresOptions } from "../../../src/entries/index.ts";
import { connect } from "../../../src/inbox/postgres/connect.ts";
import { readPostgresOptions } from "../../../src/inbox/postgres/postgres-options.ts";
import { postgresStore } from "../../../src/inbox/postgres.ts";
import { until } from "../../receiver/sample.ts";
import { keep, numberedEntry } from "../entries.ts";
import { pgliteInboxes } from "./pglite.ts";
import { servePglite } from "./pglite-server.ts";

const { database, empty } = await pgliteInboxes("connected");

/** A session on a server of its own, and what that server sees. */
async function session(options: PostgresOptions = {}, runner?: string) {
  const server = await servePglite(database, onTestFinished);
  const terms = { ...readPostgresOptions(server.url, options), runner };
  const made = await connect(terms);
  onTestFinished(() => made.close());
  return { ...server, ...made };
}

const listen = (
  one: Awaited<ReturnType<typeof session>>,
  heard = (_: string) => {},
  lost = () => {},
) => one.listen?.("Some channel", heard, lost);
const ask = (one: Awaited<ReturnType<typeof session>>, text = "SELECT 1 AS n") =>
  one.query(text, [], 5000);

it("a connection bears the name of its process, so that others see that one is there", async () => {
  const nameOf = (started: readonly (readonly string[])[]) =>
    started.map((said) => said[said.indexOf("application_name") + 1]);
  const named = await session({}, "abc");
  const nameless = await session();
  for (const one of [named, nameless]) {
    await ask(one);
    await (await listen(one))?.stop();
  }
  expect(nameOf(named.started)).toEqual(["hookporter abc", "hookporter abc"]);
  expect(nameOf(nameless.started)).toEqual(["hookporter", "hookporter"]);
});

it("there are no more connections than allowed", async () => {
  const one = await session({ connections: 2 });
  const rows = await Promise.all(Array.from({ length: 6 }, () => ask(one)));
  expect(rows).toHaveLength(6);
  expect(one.started).toHaveLength(2);
});

it("an idle connection that is lost is replaced by the next statement", async () => {
  const one = await session();
  await ask(one);
  for (const socket of one.open) socket.destroy();
  await until(() => expect(one.open.size).toBe(0));
  await until(async () => expect(await ask(one)).toEqual([{ n: 1 }]));
  expect(one.started.length).toBeGreaterThan(1);
});

it("what is heard on a channel is passed on, until it is stopped", async () => {
  const one = await session();
  const heard: string[] = [];
  let lost = 0;
  const listening = await listen(
    one,
    (payload) => heard.push(payload),
    () => lost++,
  );
  await ask(one, `NOTIFY "Some channel", 'with a payload'`);
  await ask(one, `NOTIFY "another"`);
  await ask(one, `NOTIFY "Some channel"`);
  await until(() => expect(heard).toEqual(["with a payload", ""]));
  expect(await listening?.query?.("SELECT $1::int AS n", [7])).toEqual([{ n: 7 }]);
  expect(await listening?.query?.("SELECT 8 AS n")).toEqual([{ n: 8 }]);
  const before = one.open.size;
  await listening?.stop();
  await until(() => expect(one.open.size).toBe(before - 1));
  expect(lost).toBe(1); // the end that was asked for
});

it("a connection that listens and is lost says so once, and its statements fail", async () => {
  const one = await session();
  let lost = 0;
  const listening = await listen(one, undefined, () => lost++);
  for (const socket of one.open) socket.destroy();
  await until(() => expect(lost).toBe(1));
  await expect(listening?.query?.("SELECT 1")).rejects.toThrow();
  await listening?.stop();
  expect(lost).toBe(1);
});

it("listens on the URL that is meant for it, and leaves no connection there if it may not", async () => {
  const direct = await servePglite(database, onTestFinished, {
    onListen: (socket) => void socket.destroy(),
  });
  const one = await session({ listenUrl: direct.url });
  await expect(listen(one)).rejects.toThrow();
  expect(one.started).toEqual([]);
  expect(direct.started).toHaveLength(1);
  await until(() => expect(direct.open.size).toBe(0));
});

it("closing ends all connections of the inbox", async () => {
  await empty();
  const server = await servePglite(database, onTestFinished);
  const inbox = postgresStore(server.url, { schema: "connected" });
  await inbox.open();
  await until(() => expect(inbox.supportsNotify).toBe(true));
  await Promise.all([1, 2, 3].map((number) => keep(inbox, numberedEntry(number))));
  expect(server.open.size).toBeGreaterThan(1);
  await inbox.close();
  await until(() => expect(server.open.size).toBe(0));
});

it("listens again after its connection was lost, and hears again", async () => {
  await empty();
  const server = await servePglite(database, onTestFinished);
  const [own, other] = [server.url, database].map((at) =>
    postgresStore(at, { schema: "connected" }),
  );
  if (own === undefined || other === undefined) throw new Error("expected two inboxes");
  const due: boolean[] = [];
  for (const inbox of [own, other]) {
    await inbox.open(inbox === own ? { onDue: () => void due.push(own.supportsNotify) } : {});
    onTestFinished(() => inbox.close());
  }
  await until(() => expect(own.supportsNotify).toBe(true));
  due.length = 0;
  for (const socket of server.open) socket.destroy();
  // it polls meanwhile, and then looks for what was missed
  await until(() => expect(due).toEqual([false, true]));
});
