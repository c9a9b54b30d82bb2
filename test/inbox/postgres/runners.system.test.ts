import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { tempFolder } from "../../cli/fake-io.ts";
import { AT } from "../entries.ts";
import { kill, LONG_LEASE, type RunnerTerms, runnerProcesses, send } from "../runner-processes.ts";
import { openServer } from "./schemas.ts";
import { NO_POOLER, NO_SERVER, startPooler } from "./server.ts";

describe("processes that share an inbox on PostgreSQL", async () => {
  if (NO_SERVER !== undefined) {
    it.skip(NO_SERVER, () => {});
    return;
  }
  const { server, admin, newSchema, open } = await openServer();

  /**
   * A new schema; starts processes on it, which are killed with the test, and reads which entries
   * they ran.
   */
  const stage = (url = server.url) => {
    const schema = newSchema();
    const { start: startOne, runs } = runnerProcesses(
      `${url}?schema=${schema}`,
      join(tempFolder(), "ran"),
    );
    const start = (terms: RunnerTerms = {}) => startOne({ handlerMs: LONG_LEASE, ...terms });
    const recorded = async () =>
      (await admin.query(`SELECT id, server FROM ${schema}.runner ORDER BY since`)).rows as {
        id: string;
        server: string | null;
      }[];
    const locked = (many: number) =>
      until(async () => {
        expect((await recorded()).filter(({ server }) => server !== null)).toHaveLength(many);
      });
    return { schema, start, runs, recorded, locked };
  };
  const until = (check: () => unknown) => vi.waitFor(check, { timeout: 15_000, interval: 20 });
  /** Two processes, of which the first runs an entry. */
  const running = async (
    { start, runs, locked }: ReturnType<typeof stage>,
    leaseTime = LONG_LEASE,
  ) => {
    const one = await start({ leaseTime });
    const two = await start({ leaseTime });
    await locked(2);
    await send(one, 1);
    await until(() => expect(runs()).toHaveLength(1));
    const busy = runs()[0]?.pid === one.pid ? one : two;
    return { busy, other: busy === one ? two : one };
  };

  it("run the entries of a killed one at once, not when its leases expire", async () => {
    const all = stage();
    const { busy, other } = await running(all);
    await kill(busy);
    // long before its lease ends
    await until(() => expect(all.runs()).toMatchObject([{}, { pid: other.pid, attempt: 2 }]));
    expect(await all.recorded()).toHaveLength(1);
  });

  it("run the entries of a killed one when they start after its death", async () => {
    const all = stage();
    const { busy, other } = await running(all);
    await kill(other);
    await kill(busy);
    const next = await all.start();
    await until(() => expect(all.runs()).toMatchObject([{}, { pid: next.pid, attempt: 2 }]));
  });

  it("leave the entries of a paused one alone until its leases expire", async () => {
    const all = stage();
    const { busy, other } = await running(all, 6000);
    busy.kill("SIGSTOP");
    await delay(3000); // several looks
    expect(all.runs()).toHaveLength(1);
    await until(() => expect(all.runs()).toMatchObject([{}, { pid: other.pid, attempt: 2 }]));
    busy.kill("SIGCONT");
  });

  it.skipIf(server.restart === undefined)(
    "leave each other's entries alone when the server restarts",
    async () => {
      const all = stage();
      await running(all);
      const [{ server: before } = { server: null }] = await all.recorded();
      await server.restart?.();
      await until(async () => {
        for (const { server: now } of await all.recorded())
          expect([null, before]).not.toContain(now);
        expect(await all.recorded()).toHaveLength(2);
      });
      await delay(2000);
      expect(all.runs()).toHaveLength(1);
    },
  );

  it("are told of each other, but not of those that are dead or silent", async () => {
    const schema = newSchema();
    const a = await open(schema);
    const b = await open(schema);
    const runner = { version: "1", role: "run", sources: ["crm"], kinds: ["payment.*"] } as const;
    await a.register({ id: "0a", ...runner }, AT);
    await b.register({ id: "0b", ...runner }, AT);
    expect(await a.runners()).toMatchObject([{ id: "0b", ...runner }]);
    const now = b.now ?? 0;
    const insert = (id: string, seenAt: number, lock: string) =>
      admin.query(
        `INSERT INTO ${schema}.runner VALUES ($1, 0, $2, '1', 'run', '[]', '[]', ${lock})`,
        [id, seenAt],
      );
    const onThisServer = "extract(epoch FROM pg_postmaster_start_time())::text";
    await insert("1a", now, "NULL"); // without a lock: believed until it is silent
    await insert("1b", now - 90_000, "NULL");
    await insert("1c", now, "'123.5'"); // of another run of the server
    await b.close();
    await insert("1d", now, onThisServer);
    const ids = async () => (await a.runners())?.map(({ id }) => id).sort();
    expect(await ids()).toEqual(["1a", "1c"]);
    await until(async () => {
      const { rows } = await admin.query(`SELECT id FROM ${schema}.runner ORDER BY id`);
      expect(rows.map(({ id }) => id)).toEqual(["0a", "1a", "1b", "1c"]);
    });
  });

  describe.skipIf(NO_POOLER !== undefined)(
    NO_POOLER ?? "through PgBouncer in transaction mode",
    async () => {
      if (NO_POOLER !== undefined) return;
      it("hold no lock, and wait for leases to expire", async () => {
        const pooler = await startPooler(server);
        onTestFinished(() => pooler.stop());
        const all = stage(pooler.url);
        const one = await all.start({ leaseTime: 5000 });
        await send(one, 1);
        await until(() => expect(all.runs()).toHaveLength(1));
        const next = await all.start({ leaseTime: 5000 });
        await delay(4000); // the proof that notifications arrive has failed by now
        expect(await all.recorded()).toMatchObject([{ server: null }, { server: null }]);
        await kill(one);
        await delay(2000);
        expect(all.runs()).toHaveLength(1);
        await until(() => expect(all.runs()).toMatchObject([{}, { pid: next.pid, attempt: 2 }]));
      });
    },
  );
});
