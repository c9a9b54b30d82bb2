import pg from "pg";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createReceiver } from "../../../src/entries/index.ts";
import { postgresStore } from "../../../src/inbox/postgres.ts";
import { handleOf } from "../../../src/inbox/shared/handle.ts";
import { inboxOf } from "../../../src/receiver/inbox-view.ts";
import { deliveryNow, keptLog, SECRET, uncaught } from "../../receiver/sample.ts";
import { startProxy } from "./proxy.ts";
import { openServer } from "./schemas.ts";
import { NO_SERVER } from "./server.ts";

/**
 * What is lost with the connection: a request, before the server reads it, or only the server's
 * answer to it.
 */
type Lost = "request" | "answer";

/** How many lives are cut at the same time. */
const AT_ONCE = 6;

/**
 * A proxy that cuts the connection of the nth request that passes it, counted over all its
 * connections.
 */
async function startCutting(url: string, cutAt: number, lost: Lost) {
  let requests = 0;
  const proxy = await startProxy(
    () => url,
    (client, upstream) => {
      let isCut = false;
      client.on("close", () => upstream.destroy());
      upstream.on("close", () => client.destroy());
      client.on("data", (chunk: Buffer) => {
        isCut = ++requests === cutAt;
        if (!isCut || lost === "answer") upstream.write(chunk);
        if (isCut && lost === "request") client.destroy();
      });
      upstream.on("data", (chunk: Buffer) => (isCut ? client.destroy() : client.write(chunk)));
    },
  );
  return { ...proxy, requests: () => requests };
}

describe("a life of a receiver whose connection is cut at any request", { retry: 0 }, async () => {
  if (NO_SERVER !== undefined) {
    it.skip(NO_SERVER, () => {});
    return;
  }
  const { server, admin, newSchema, open } = await openServer();
  const wait = <Value>(check: () => Value | Promise<Value>) =>
    vi.waitFor(check, { timeout: 60_000, interval: 20 });

  /**
   * Starts, keeps three deliveries (two of them in one order key), runs them with `tx`, and stops;
   * resolves to how many requests that took.
   */
  async function live(schema: string, cutAt: number, lost: Lost): Promise<number> {
    const proxy = await startCutting(server.url, cutAt, lost);
    const pool = cutAt % 2 === 0 ? new pg.Pool({ connectionString: proxy.url, max: 5 }) : undefined;
    const receiver = createReceiver({
      secret: SECRET,
      inbox: handleOf(postgresStore(pool ?? proxy.url, { schema })),
      orderBy: ({ data }) => (typeof data.key === "string" ? data.key : null),
      retry: { attempts: 8, delay: 10, factor: 1, maxDelay: 10, jitter: 0 },
      lease: 3000,
      poll: 100,
      log: keptLog().log,
    });
    try {
      receiver.on(
        "*",
        async ({ id }, { tx }) =>
          void (await tx.query(`INSERT INTO ${schema}_effects.effect VALUES ($1)`, [id])),
        { tx: true, name: "effect" },
      );
      // A supervisor would start it again until the server answers.
      await wait(() => receiver.start());
      const timestamp = new Date().toISOString();
      const ids = await Promise.all(
        ["a", "a", null].map(async (key, number) => {
          const data = { key, number: `${cutAt} ${lost} ${number}` };
          const delivery = () => deliveryNow({ timestamp, data });
          // As the service: what is not confirmed comes again.
          return wait(async () => {
            const outcome = await receiver.accept(delivery());
            if (outcome.type !== "accepted")
              throw new Error(`expected it to be accepted, got ${outcome.type}`);
            return outcome.seq;
          });
        }),
      );
      for (const seq of ids)
        await wait(async () =>
          expect((await inboxOf(receiver).list({ seq }))[0]).toMatchObject({ state: "handled" }),
        );
      return proxy.requests();
    } finally {
      await receiver.close();
      await pool?.end();
      await proxy.stop();
    }
  }

  it.each<Lost>(["request", "answer"])(
    "loses nothing, runs no effect twice, and ends in order (%s lost)",
    { timeout: 300_000 },
    async (lost) => {
      const errors = uncaught();
      const schema = newSchema();
      await (await open(schema)).close();
      await admin.query(
        `CREATE SCHEMA ${schema}_effects; CREATE TABLE ${schema}_effects.effect (event text)`,
      );
      onTestFinished(async () => void (await admin.query(`DROP SCHEMA ${schema}_effects CASCADE`)));
      const requests = await live(schema, 0, lost);
      expect(requests).toBeGreaterThan(20);
      const places = Array.from({ length: requests + 5 }, (_, at) => at + 1);
      const failed: unknown[] = [];
      await Promise.all(
        Array.from({ length: AT_ONCE }, async () => {
          for (let at = places.shift(); at !== undefined; at = places.shift())
            await live(schema, at, lost).catch((thrown) => failed.push([at, thrown]));
        }),
      );
      expect(failed).toEqual([]);
      const { rows } = await admin.query(
        `SELECT count(*)::int AS effects, count(DISTINCT event)::int AS events FROM ${schema}_effects.effect`,
      );
      const sent = 3 * (requests + 6);
      expect(rows).toEqual([{ effects: sent, events: sent }]);
      expect(errors).toEqual([]);
      process.stdout.write(
        `cut at each of ${requests + 5} requests (${lost} lost): ${sent} events, none lost or twice\n`,
      );
    },
  );

  it.each<Lost>(["request", "answer"])(
    "makes the tables at the next try (%s lost)",
    { timeout: 300_000 },
    async (lost) => {
      const errors = uncaught();
      let cutAt = 0;
      let isOver = false;
      await Promise.all(
        Array.from({ length: AT_ONCE }, async () => {
          while (!isOver) {
            const at = ++cutAt;
            const proxy = await startCutting(server.url, at, lost);
            const inbox = postgresStore(proxy.url, { schema: newSchema() });
            await wait(() => inbox.open());
            isOver ||= proxy.requests() < at;
            await wait(async () =>
              expect(await inbox.counts()).toMatchObject({ waiting: 0, handled: 0 }),
            );
            await inbox.close();
            await proxy.stop();
          }
        }),
      );
      expect(cutAt).toBeGreaterThan(5);
      expect(errors).toEqual([]);
    },
  );
});
