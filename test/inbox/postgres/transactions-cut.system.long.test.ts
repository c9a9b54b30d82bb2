import { fork } from "node:child_process";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { createReceiver, type Receiver, sign } from "../../../src/entries/index.ts";
import { postgresStore } from "../../../src/inbox/postgres.ts";
import { handleOf } from "../../../src/inbox/shared/handle.ts";
import { inboxOf } from "../../../src/receiver/inbox-view.ts";
import { deliveryNow, keptLog, SECRET, until } from "../../receiver/sample.ts";
import { type Cut, startCuttingProxy } from "./cutting-proxy.ts";
import { openServer } from "./schemas.ts";
import { NO_SERVER } from "./server.ts";

const PROGRAM = join(import.meta.dirname, "children", "transactions.js");
const LONG = process.env.HOOKPORTER_LONG !== undefined;
describe("handlers with tx on a server", async () => {
  if (NO_SERVER !== undefined) {
    it.skip(NO_SERVER, () => {});
    return;
  }
  const { server, admin, newSchema, open } = await openServer();

  /** A schema for effects beside that of an inbox. */
  const withEffects = async () => {
    const schema = newSchema();
    const effects = `${schema}_effects`;
    await admin.query(
      `CREATE SCHEMA ${effects}; CREATE TABLE ${effects}.effect (event text, handler text)`,
    );
    onTestFinished(async () => void (await admin.query(`DROP SCHEMA ${effects} CASCADE`)));
    const written = async (): Promise<string[]> => {
      const { rows } = await admin.query(`SELECT handler FROM ${effects}.effect ORDER BY handler`);
      return rows.map(({ handler }) => handler);
    };
    return { schema, effects, written };
  };

  const withReceiver = async (
    register: (receiver: Receiver) => void,
    inbox: ReturnType<typeof postgresStore>,
    options = {},
  ) => {
    const { log, lines } = keptLog();
    const receiver: Receiver = createReceiver({
      secret: SECRET,
      inbox: handleOf(inbox),
      log,
      poll: 50,
      ...options,
    });
    register(receiver);
    await receiver.start();
    onTestFinished(() => receiver.close());
    return { receiver, lines };
  };

  it.each<[Cut, "ends" | "goes on", number]>([
    ["answer", "ends", 1],
    ["answer", "goes on", 1],
    ["request", "ends", 2],
    ["request", "goes on", 2],
    ["silence", "ends", 2],
    ["silence", "goes on", 2],
  ])(
    "have their result read back if their commit is cut off (%s) and the entry %s",
    async (cut, then, runs) => {
      const { schema, effects, written } = await withEffects();
      const proxy = await startCuttingProxy(server.url);
      onTestFinished(() => proxy.stop());
      let ran = 0;
      const url = `${proxy.url}?options=-csearch_path%3D${effects}`;
      const inbox = postgresStore(url, { schema, listenUrl: server.url });
      const { receiver, lines } = await withReceiver(
        (on) => {
          on.on(
            "*",
            async (event, { tx }) => {
              ran++;
              await tx.query("INSERT INTO effect VALUES ($1, 'tx')", [event.id]);
            },
            { tx: true, name: "tx" },
          );
          if (then === "goes on") on.on("*", () => {}, { name: "plain" });
        },
        inbox,
        { retry: { attempts: 5, delay: 10, factor: 1, maxDelay: 10, jitter: 0 }, lease: 6000 },
      );
      proxy.arm(cut);
      const outcome = await receiver.accept(deliveryNow());
      if (outcome.type !== "accepted") throw new Error("expected an accepted event");
      const entry = async () => (await inboxOf(receiver).list({ seq: outcome.seq }))[0];
      await until(async () => expect(await entry()).toMatchObject({ state: "handled" }));
      expect(proxy.cuts).toBe(1);
      expect(ran).toBe(runs);
      expect(await written()).toEqual(["tx"]);
      expect(await entry()).toMatchObject({ attempts: runs });
      const records = (await inboxOf(receiver).attempts(outcome.seq)).filter(
        ({ handler }) => handler === "tx",
      );
      expect(records.map((record) => record.outcome)).toEqual(
        runs === 1 ? ["ok"] : ["error", "ok"],
      );
      // no lease could not be renewed
      expect(lines.filter(({ level }) => level === "error")).toEqual([]);
    },
  );

  it.each(
    ["plain 1", "tx 1", "plain 2", "tx 2"].flatMap((name) => [`before ${name}`, `after ${name}`]),
  )("write exactly once if their process is killed %s", { timeout: 40_000 }, async (point) => {
    const { schema, written } = await withEffects();
    const inbox = await open(schema);
    const start = async (at: string) => {
      const child = fork(PROGRAM, [server.url, schema, at], {
        stdio: ["ignore", "ignore", "inherit", "ipc"],
      });
      const ended = new Promise((resolve) => child.once("exit", resolve));
      await new Promise((resolve) => child.once("message", resolve));
      return { child, ended };
    };
    const first = await start(point);
    const { headers: _, body, ...rest } = deliveryNow();
    const signed = { "x-service-signature": sign(body, "a-secret-made-up-for-the-drill") };
    first.child.send({ ...rest, headers: signed, body: Buffer.from(body).toString("base64") });
    await first.ended;
    const second = await start("never");
    await until(async () =>
      expect(await inbox.counts()).toMatchObject({ handled: 1, running: 0, waiting: 0 }),
    );
    second.child.disconnect();
    await second.ended;
    const all = await written();
    expect(all.filter((handler) => handler.startsWith("tx"))).toEqual(["tx 1", "tx 2"]);
    expect(new Set(all)).toEqual(new Set(["plain 1", "plain 2", "tx 1", "tx 2"]));
  });

  it(`hold up neither leases nor plain handlers with a pool of 4 and a concurrency of 50, for ${LONG ? 120 : 10} s`, {
    timeout: LONG ? 300_000 : 90_000,
  }, async () => {
    const { schema, effects } = await withEffects();
    const pool = new pg.Pool({ connectionString: server.url, max: 4 });
    pool.on("error", () => {});
    onTestFinished(() => pool.end());
    const counts = { plain: 0, tx: 0 };
    let together = 0;
    let most = 0;
    const { receiver, lines } = await withReceiver(
      (on) => {
        on.on(
          "payment.received",
          async (event, { tx }) => {
            most = Math.max(most, ++together);
            await tx.query(`INSERT INTO ${effects}.effect VALUES ($1, 'tx')`, [event.id]);
            await delay(20);
            together--;
            counts.tx++;
          },
          { tx: true },
        );
        on.on("lead.created", () => void counts.plain++);
      },
      postgresStore(pool, { schema }),
      { concurrency: 50, lease: 2000 },
    );
    const end = Date.now() + (LONG ? 120_000 : 10_000);
    let sent = 0;
    // Faster than one connection can do, so that ever more wait.
    while (Date.now() < end) {
      await Promise.all(
        Array.from({ length: 6 }, () =>
          receiver.accept(
            deliveryNow({ event: sent++ % 2 === 0 ? "payment.received" : "lead.created" }),
          ),
        ),
      );
      await delay(40);
    }
    const half = Math.floor(sent / 2);
    expect(counts.tx).toBeLessThan(half); // or nothing had to wait
    await until(() => expect(counts.plain).toBe(half)); // not behind those that wait
    expect(most).toBe(1);
    const lost = lines.filter(({ level }) => level === "warn" || level === "error");
    expect(lost).toEqual([]);
    const { rows } = await admin.query(
      `SELECT count(*)::int AS n, count(DISTINCT event)::int AS events FROM ${effects}.effect`,
    );
    expect(rows[0].n).toBe(rows[0].events);
    // the last one may not have committed yet
    expect(rows[0].n).toBeGreaterThanOrEqual(counts.tx - 1);
    process.stdout.write(
      `pool of 4: ${sent} events, ${counts.tx} with tx so far, none lost its lease\n`,
    );
  });
});
