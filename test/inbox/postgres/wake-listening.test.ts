import { beforeEach, expect, it, onTestFinished, vi } from "vitest";
import type { Listening, PostgresSession } from "../../../src/inbox/postgres/session.ts";
import { Store } from "../../../src/inbox/postgres/store.ts";
import { Wake } from "../../../src/inbox/postgres/wake.ts";
import { keptLog } from "../../receiver/sample.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
});

/** Lets everything run that waits for no timer. */
async function settled(): Promise<void> {
  for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve));
}

const pass = async (ms: number) => {
  await settled();
  await vi.advanceTimersByTimeAsync(ms);
  await settled();
};

/** A process that listens on a database; what the database does can be replaced. */
function stage({
  query,
  canListen = true,
}: {
  query?: Listening["query"];
  canListen?: boolean;
} = {}) {
  const calls: string[] = [];
  const database = {
    /** Whether notifications arrive. */
    isDeaf: false,
    /** With what listening, and asking, fails. */
    refuses: undefined as Error | undefined,
    fails: undefined as Error | undefined,
    sent: [] as string[],
    opened: 0,
    /** Held up by a connection under way. */
    connects: Promise.resolve(),
    heard: (_payload: string) => {},
    lose: () => {},
  };
  const session: PostgresSession = {
    query: async (text, values) => {
      if (database.fails !== undefined) throw database.fails;
      expect(text).toContain("pg_notify");
      expect(values[0]).toBe("hookporter_due_a");
      database.sent.push(String(values[1]));
      if (!database.isDeaf) database.heard(String(values[1]));
      return [];
    },
    transaction: () => Promise.reject(new Error("not used")),
    close: async () => {},
    ...(canListen && {
      listen: async (channel, heard, lost) => {
        database.opened++;
        await database.connects;
        if (database.refuses !== undefined) throw database.refuses;
        expect(channel).toBe("hookporter_due_a");
        database.heard = heard;
        database.lose = lost;
        return { stop: async () => void calls.push("stop"), ...(query && { query }) };
      },
    }),
  };
  const runners = {
    connected: vi.fn<(query: unknown, end: () => void) => void>(() => void calls.push("connected")),
    disconnected: () => void calls.push("disconnected"),
    othersBusy: () => void calls.push("othersBusy"),
  };
  const { log, lines } = keptLog();
  const store = new Store(session, { schema: "a", name: "a" });
  const wake = new Wake(store, session, runners, log, () => void calls.push("due"));
  onTestFinished(() => wake.stop());
  const take = () => calls.splice(0);
  return { wake, database, runners, lines, take };
}

it("once notifications are known to arrive, it looks for what was missed, and is on the connection that listens", async () => {
  const query = async () => [];
  const { wake, take, runners, database, lines } = stage({ query });
  expect(wake.supportsNotify).toBe(false);
  wake.start();
  await settled();
  expect(wake.supportsNotify).toBe(true);
  expect(take()).toEqual(["connected", "due"]);
  expect(runners.connected.mock.calls[0]?.[0]).toBe(query);
  expect(database.sent).toHaveLength(1);
  expect(lines).toEqual([]);
});

it("what others say makes entries due, and shows that they run some; its own does neither", async () => {
  const { wake, take, database } = stage();
  wake.start();
  await settled();
  take();
  database.heard("another process");
  expect(take()).toEqual(["othersBusy", "due"]);
  wake.notify();
  await pass(20);
  expect(database.sent).toHaveLength(2);
  expect(take()).toEqual(["due"]); // at once, not from its own notification
});

it("what is told often is sent at most every 20 ms, the first at once, and again a second after a failure", async () => {
  const { wake, database, take } = stage({ canListen: false });
  const sentAfter = async (ms: number) => {
    await pass(ms);
    return database.sent.length;
  };
  wake.notify();
  wake.notify();
  expect(await sentAfter(0)).toBe(1);
  await pass(5);
  wake.notify();
  expect(await sentAfter(14)).toBe(1);
  expect(await sentAfter(1)).toBe(2);
  expect(take()).toEqual(["due", "due"]);
  await pass(50);
  database.fails = new Error("gone");
  wake.notify();
  await pass(0);
  database.fails = undefined;
  expect(await sentAfter(999)).toBe(2);
  expect(await sentAfter(1)).toBe(3);
});

it("that it runs entries is said every ten seconds, and only if it is heard", async () => {
  const { wake, database } = stage();
  wake.notifyBusy();
  await pass(100);
  expect(database.sent).toHaveLength(0);
  wake.start();
  await settled();
  database.sent.length = 0;
  const busy = async (ms: number) => {
    await pass(ms);
    wake.notifyBusy();
    await pass(0);
    return database.sent.length;
  };
  expect(await busy(0)).toBe(1);
  expect(await busy(9999)).toBe(1);
  expect(await busy(1)).toBe(2);
});

it("a connection that was lost is opened again at once, then after ever longer waits, up to half a minute", async () => {
  const { wake, database, take } = stage({ query: async () => [] });
  wake.start();
  await settled();
  take();
  database.refuses = new Error("gone");
  database.lose();
  expect(wake.supportsNotify).toBe(false);
  expect(take()).toEqual(["stop", "disconnected", "due"]);
  await pass(0);
  expect(database.opened).toBe(2);
  const waits: number[] = [];
  for (let wait = 0; waits.length < 11; wait += 100) {
    const before = database.opened;
    await pass(100);
    if (database.opened === before) continue;
    waits.push(wait + 100);
    wait = -100;
  }
  expect(waits).toEqual([100, 200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000]);
  expect(new Set(take())).toEqual(new Set(["disconnected"])); // it polled before
  database.refuses = undefined;
  await pass(30_000);
  expect(wake.supportsNotify).toBe(true);
  expect(take()).toEqual(["connected", "due"]);
  database.lose();
  await pass(0);
  expect(wake.supportsNotify).toBe(true); // at once again
});

it("if notifications do not arrive, it says so once, and tries again every five minutes", async () => {
  const { wake, database, lines, take } = stage();
  database.isDeaf = true;
  wake.start();
  await pass(2999);
  expect([...take(), ...lines]).toEqual([]);
  await pass(1);
  expect(take()).toEqual(["stop", "disconnected"]);
  expect(lines).toMatchObject([{ level: "warn", message: expect.stringContaining("listenUrl") }]);
  await pass(299_999);
  expect(database.opened).toBe(1);
  await pass(1);
  expect(database.opened).toBe(2);
  await pass(3000);
  expect(lines).toHaveLength(1);
  expect(wake.supportsNotify).toBe(false);
});

it("once it is stopped, it neither listens nor tells, and the connection is closed", async () => {
  const { wake, database, take } = stage();
  wake.start();
  await settled();
  take();
  wake.notify();
  await wake.stop();
  expect(take()).toEqual(["stop"]);
  const before = database.sent.length;
  wake.notify();
  database.lose();
  wake.start();
  await pass(600_000);
  expect(database.sent).toHaveLength(before);
  expect(database.opened).toBe(1);
  expect(take()).toEqual(["stop", "disconnected"]);
});

it.each<[string, (database: ReturnType<typeof stage>["database"]) => unknown]>([
  ["the proof", (database) => (database.isDeaf = true)],
  ["the next attempt", (database) => (database.refuses = new Error("gone"))],
])("stopping does not wait for %s", async (_, prepare) => {
  const { wake, database } = stage();
  prepare(database);
  wake.start();
  await settled();
  await wake.stop();
  await pass(600_000);
  expect([wake.supportsNotify, database.opened]).toEqual([false, 1]);
});

it("an inbox that is closed while it connects to listen does not wait for a notification", async () => {
  const { wake, database, take } = stage();
  let connect = () => {};
  database.connects = new Promise((resolve) => {
    connect = resolve;
  });
  wake.start();
  const stopped = wake.stop();
  connect();
  await stopped;
  expect([...database.sent, ...take()]).toEqual(["stop"]);
});
