import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it, type TestContext, vi } from "vitest";
import type { Inbox } from "../../../src/inbox/inbox.ts";
import { connectionName, DOUBT } from "../../../src/inbox/postgres/runners.ts";
import { postgresStore } from "../../../src/inbox/postgres.ts";
import { keep, numberedEntry, settlementOf } from "../entries.ts";
import { startDelayingProxy } from "./delaying-proxy.ts";
import { openServer } from "./schemas.ts";
import { NO_SERVER } from "./server.ts";
import { startSwallowingProxy } from "./swallowing-proxy.ts";

const LEASE = 15_000;
const RUNNER = { version: "1", role: "run", sources: ["service"], kinds: ["payment.*"] } as const;

describe.concurrent("a process that has lost connections, and goes on", async () => {
  if (NO_SERVER !== undefined) {
    it.skip(NO_SERVER, () => {});
    return;
  }
  const { server, admin, newSchema } = await openServer();
  const until = (check: () => unknown) => vi.waitFor(check, { timeout: 15_000, interval: 20 });

  /** Two processes, of which one is reached by a URL, and runs an entry. */
  const running = async (url: string, { onTestFinished }: Pick<TestContext, "onTestFinished">) => {
    const schema = newSchema();
    const far = `far_${schema}`; // names connections, on a server that all tests share
    const start = async (id: string, at: string): Promise<Inbox> => {
      const inbox = postgresStore(at, { schema }, id);
      await inbox.open();
      onTestFinished(() => inbox.close());
      await inbox.register({ id, ...RUNNER }, Date.now());
      return inbox;
    };
    const nearInbox = await start(`near_${schema}`, server.url);
    const farInbox = await start(far, url);
    const holders = async () =>
      (await admin.query(`SELECT id FROM ${schema}.runner WHERE server IS NOT NULL`)).rows.length;
    await until(async () => expect(await holders()).toBe(2));
    await keep(nearInbox, numberedEntry(1));
    const claim = (inbox: Inbox, runner: string) =>
      inbox.claim({ now: Date.now(), limit: 1, leaseTime: LEASE, runner });
    const [entry] = await claim(farInbox, far);
    if (entry === undefined) throw new Error("expected an entry");
    const renewing = setInterval(() => {
      void farInbox.renew([entry], Date.now() + LEASE).catch(() => {});
    }, LEASE / 3).unref();
    onTestFinished(() => clearInterval(renewing));
    const terminate = async (which: string) => {
      const { rowCount } = await admin.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity a WHERE application_name = $1 AND ${which}`,
        [connectionName(far)],
      );
      expect(rowCount).toBeGreaterThan(0);
    };
    return {
      holders,
      terminate,
      /** After long enough for the other one to take it for dead. */
      expectAlive: async () => {
        const taken = [];
        for (const end = Date.now() + 2 * DOUBT; Date.now() < end; await delay(50))
          taken.push(...(await claim(nearInbox, `near_${schema}`)));
        expect(taken).toEqual([]);
        // A connection may be cut just then: a receiver stores a result again, too.
        const settle = () => farInbox.settle(settlementOf(entry), Date.now());
        expect(await settle().catch(settle)).toBe(true);
      },
    };
  };
  const LISTENING =
    "EXISTS (SELECT FROM pg_locks l WHERE l.pid = a.pid AND locktype = 'advisory' AND mode = 'ExclusiveLock')";

  it.for([0, 60, 150, 300])(
    "keeps its running entries, at %s ms from the server, if it has lost the connection that it listens on",
    async (ms, context) => {
      const proxy = await startDelayingProxy(server.url, ms);
      const { holders, terminate, expectAlive } = await running(proxy.url, context);
      context.onTestFinished(() => proxy.stop());
      await terminate(LISTENING);
      // told at once, and long before it holds the lock again
      if (ms > 0) await until(async () => expect(await holders()).toBe(1));
      await until(async () => expect(await holders()).toBe(2));
      await expectAlive();
    },
  );

  it.for([0, 150, 300])(
    "keeps them, at %s ms, if it has lost all connections",
    async (ms, context) => {
      const proxy = await startDelayingProxy(server.url, ms);
      const { terminate, expectAlive } = await running(proxy.url, context);
      context.onTestFinished(() => proxy.stop());
      await terminate("true");
      await expectAlive();
    },
  );

  it("keeps them if the server ends each session that is idle for a second", async (context) => {
    const { rowCount } = await admin.query(
      "SELECT FROM pg_settings WHERE name = 'idle_session_timeout'",
    );
    context.skip(rowCount === 0, "the server is older than 14, and ends none");
    const proxy = await startDelayingProxy(
      `${server.url}?options=-cidle_session_timeout%3D1s`,
      100,
    );
    const { expectAlive } = await running(proxy.url, context);
    context.onTestFinished(() => proxy.stop());
    await expectAlive();
  });

  it("keeps them if only the server knows that the connection is lost, as behind a NAT that has forgotten it", async (context) => {
    const proxy = await startSwallowingProxy(server.url);
    const { terminate, expectAlive } = await running(proxy.url, context);
    context.onTestFinished(() => proxy.stop());
    proxy.beSilent(true);
    await terminate(LISTENING);
    await delay(50); // its end is lost on the way, and nothing else
    proxy.beSilent(false);
    await expectAlive();
  });
});
