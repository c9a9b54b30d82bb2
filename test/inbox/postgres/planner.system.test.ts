import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createReceiver } from "../../../src/entries/index.ts";
import { postgresStore } from "../../../src/inbox/postgres.ts";
import { handleOf } from "../../../src/inbox/shared/handle.ts";
import { inboxOf } from "../../../src/receiver/inbox-view.ts";
import { deliveryNow, keptLog, SECRET } from "../../receiver/sample.ts";
import { openServer } from "./schemas.ts";
import { NO_SERVER } from "./server.ts";

const BACKLOG = 1500;

/**
 * Settings of a session that change how the server runs statements, and what it is made to believe
 * about the tables.
 */
const STATES: readonly (readonly [
  name: string,
  options: string,
  belief: (schema: string) => string,
])[] = [
  ["every plan is compiled", "-c jit=on -c jit_above_cost=0", () => "SELECT"],
  [
    "no index may be scanned",
    "-c enable_indexscan=off -c enable_indexonlyscan=off",
    () => "SELECT",
  ],
  ["joins may not loop", "-c enable_nestloop=off", () => "SELECT"],
  [
    "the planner believes that a billion entries wait",
    "",
    (schema) =>
      `UPDATE pg_class SET reltuples = 1e9, relpages = 1e7 WHERE relnamespace = '${schema}'::regnamespace AND relname = 'turn'`,
  ],
  [
    "the planner believes that no entry exists",
    "",
    (schema) =>
      `UPDATE pg_class SET reltuples = 0, relpages = 2 WHERE relnamespace = '${schema}'::regnamespace AND relkind = 'r'`,
  ],
  [
    "another session has had a snapshot open since before the first entry",
    "",
    (schema) => `SELECT count(*) FROM ${schema}.entry`,
  ],
];

describe("a backlog is handled once each, with no result thrown away,", async () => {
  if (NO_SERVER !== undefined) {
    it.skip(NO_SERVER, () => {});
    return;
  }
  const { server, admin, newSchema, open } = await openServer();

  it.each(STATES)("when %s", { timeout: 120_000 }, async (_, options, belief) => {
    const schema = newSchema();
    await (await open(schema)).close();
    const other = await admin.connect();
    onTestFinished(async () => {
      await other.query("ROLLBACK");
      other.release();
    });
    await other.query("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT txid_current()");
    await other.query(`SELECT count(*) FROM ${schema}.entry`);
    const url = `${server.url}?options=${encodeURIComponent(options)}`;
    const start = async (role: "receive" | "run") => {
      const { log, lines } = keptLog();
      const inbox = postgresStore(url, { schema });
      const receiver = createReceiver({
        secret: SECRET,
        inbox: handleOf(inbox),
        role,
        concurrency: 50,
        lease: 6000,
        log,
      });
      onTestFinished(() => receiver.close());
      return { receiver, lines };
    };
    const receiving = await start("receive");
    await receiving.receiver.start();
    const timestamp = new Date().toISOString();
    const kept = await Promise.all(
      Array.from({ length: BACKLOG }, (_, number) =>
        receiving.receiver.accept(deliveryNow({ timestamp, data: { number } })),
      ),
    );
    expect(kept.filter(({ type }) => type === "accepted")).toHaveLength(BACKLOG);
    await admin.query(belief(schema));
    const running = await start("run");
    const runs = new Map<string, number>();
    running.receiver.on("*", ({ id }) => void runs.set(id, (runs.get(id) ?? 0) + 1));
    await running.receiver.start();
    await vi.waitFor(
      async () =>
        expect(await inboxOf(running.receiver).counts()).toMatchObject({ handled: BACKLOG }),
      { timeout: 90_000, interval: 100 },
    );
    expect(runs.size).toBe(BACKLOG);
    expect([...runs.values()].filter((times) => times !== 1)).toEqual([]);
    const told = [...receiving.lines, ...running.lines];
    expect(told.filter(({ level }) => level === "warn" || level === "error")).toEqual([]);
  });
});
