import { createServer } from "node:net";
import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { connect } from "../../../src/inbox/postgres/connect.ts";
import { readPostgresOptions } from "../../../src/inbox/postgres/postgres-options.ts";
import {
  ABANDONED,
  type PostgresPool,
  poolSession,
  ROLLED_BACK,
} from "../../../src/inbox/postgres/session.ts";
import { message, READY } from "./pglite-server.ts";

const TERMINATED = message("E", Buffer.from("SFATAL\0C57P01\0Mterminating connection\0\0"));

/** The URL of a server that ends each connection in the packet in which it becomes ready. */
async function startTerminating(): Promise<string> {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => socket.end(Buffer.concat([READY, TERMINATED])));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  return `postgres://a@127.0.0.1:${typeof address === "object" ? address?.port : ""}/a`;
}

it.each([
  ["the inbox's own pool", (url: string) => url],
  [
    "a user's pool",
    (url: string) => {
      const pool = new pg.Pool({ connectionString: url });
      pool.on("error", () => {});
      onTestFinished(() => pool.end());
      return pool;
    },
  ],
])(
  "a connection of %s that ends as it becomes ready fails its transaction, not the process",
  async (_, of) => {
    const uncaught: Error[] = [];
    const note = (error: Error) => void uncaught.push(error);
    process.on("uncaughtException", note);
    onTestFinished(() => void process.off("uncaughtException", note));
    const session = await connect(readPostgresOptions(of(await startTerminating()), {}));
    onTestFinished(() => session.close());
    for (let times = 0; times < 10; times++)
      await expect(session.transaction(async () => {}, 5000)).rejects.toThrow();
    expect(uncaught).toEqual([]);
  },
);

it("leaves no listener on a user's pool once it is closed", async () => {
  const pool = new pg.Pool();
  const session = await connect(readPostgresOptions(pool, {}));
  expect(pool.listenerCount("connect")).toBe(1);
  await session.close();
  expect(pool.listenerCount("connect")).toBe(0);
});

describe("a transaction on a pool", () => {
  /**
   * A pool of one connection, which notes what it is asked and how it is given back; `answer` may
   * reject.
   */
  function fakePool(answer: (text: string) => unknown = () => {}) {
    const asked: object[] = [];
    const released: (boolean | undefined)[] = [];
    let listeners = 0;
    const query = async ({ text, ...rest }: { text: string }) => {
      asked.push({ text, ...rest });
      await answer(text);
      return { rows: [{ text }] };
    };
    const client = {
      query,
      release: (destroy?: boolean) => void released.push(destroy),
      on: () => void listeners++,
    };
    const pool: PostgresPool = { query, connect: async () => client };
    const texts = () => asked.map((one) => (one as { text: string }).text);
    return { pool, asked, texts, released, listenersOf: () => listeners };
  }
  const withCode = (code: string) => Object.assign(new Error(code), { code });
  const BEGIN = "BEGIN ISOLATION LEVEL READ COMMITTED";
  const end = async () => {};

  it("is committed, and its connection is given back", async () => {
    const { pool, asked, released, listenersOf } = fakePool();
    const session = poolSession(pool);
    for (let times = 0; times < 2; times++) {
      const result = await session.transaction(
        async (query) => [await query("a", [1]), await query("b")],
        70,
      );
      expect(result).toEqual([[{ text: "a" }], [{ text: "b" }]]);
    }
    const limit = { query_timeout: 70 };
    expect(asked.slice(0, 4)).toEqual([
      { text: BEGIN, values: [], ...limit },
      { text: "a", values: [1], ...limit },
      { text: "b", values: [], ...limit },
      { text: "COMMIT", values: [], ...limit },
    ]);
    expect(released).toEqual([false, false]);
    expect(listenersOf()).toBe(1); // however often it is used
    await session.close();
  });

  it.each([
    ["on purpose", ROLLED_BACK, true],
    ["by an error of the server", withCode("23505"), true],
    ["by a handler that is given up on", ABANDONED, false],
    ["by an error of the client", new Error("gone"), false],
    ["since the server has become a standby", withCode("25006"), false],
  ])("that fails %s is rolled back, by its end if need be", async (_, thrown, isAsked) => {
    const { pool, texts, released } = fakePool();
    await expect(poolSession(pool).transaction(() => Promise.reject(thrown), 70)).rejects.toBe(
      thrown,
    );
    expect(texts()).toEqual(isAsked ? [BEGIN, "ROLLBACK"] : [BEGIN]);
    expect(released).toEqual([!isAsked]);
  });

  it("whose rollback fails loses its connection, and fails with its first error", async () => {
    const { pool, released } = fakePool((text) =>
      text === "ROLLBACK" ? Promise.reject(new Error("lost")) : undefined,
    );
    await expect(poolSession(pool).transaction(() => Promise.reject(ROLLED_BACK), 70)).rejects.toBe(
      ROLLED_BACK,
    );
    expect(released).toEqual([true]);
  });

  it("that cannot begin or be committed loses its connection", async () => {
    for (const failing of [BEGIN, "COMMIT"]) {
      const { pool, released, texts } = fakePool((text) =>
        text === failing ? Promise.reject(new Error("lost")) : undefined,
      );
      await expect(poolSession(pool).transaction(async () => {}, 70)).rejects.toThrow("lost");
      expect(released).toEqual([true]);
      expect(texts()).not.toContain("ROLLBACK");
    }
  });

  it("of a handler sends its statements one by one, without a time limit", async () => {
    const { pool, asked } = fakePool();
    await poolSession(pool).transaction(async (_, statements) => {
      await statements.query("SELECT $1", [1]);
      await statements.query("SELECT 2");
      await statements.query({ text: "SELECT 3", values: [3] });
    }, 70);
    expect(asked.slice(1, 4)).toEqual([
      { text: "SELECT $1", values: [1], queryMode: "extended" },
      { text: "SELECT 2", queryMode: "extended" },
      { text: "SELECT 3", values: [3], queryMode: "extended" },
    ]);
    // what a user's pool has set is not reset
    expect(asked.at(-1)).toMatchObject({ text: "COMMIT" });
  });

  it("of a handler leaves no setting behind on a connection of the inbox", async () => {
    const { pool, texts, released } = fakePool();
    const session = poolSession(pool, end);
    await session.transaction(async (query) => void (await query("SELECT 1")), 70);
    await session.transaction(async (_, { query }) => void (await query("SELECT 2")), 70);
    expect(texts()).toEqual([
      BEGIN,
      "SELECT 1",
      "COMMIT",
      BEGIN,
      "SELECT 2",
      "COMMIT; RESET SESSION AUTHORIZATION; RESET ROLE; RESET ALL",
    ]);
    expect(released).toEqual([false, false]);
  });

  it.each([
    ["SET statement_timeout = 1", true],
    [" \n set session x.y = 1", true],
    ["SET TIME ZONE 'UTC'", true],
    ["SELECT set_config('a.b', 'c', false)", true],
    ["SELECT set_config ( 'a.b', 'c', $1)", true],
    ["SET LOCAL statement_timeout = 1", false],
    ["set local a.b = 1", false],
    ["SET CONSTRAINTS ALL DEFERRED", false],
    ["SET TRANSACTION READ ONLY", false],
    ["SELECT set_config('a.b', 'c', true)", false],
    ["SELECT set_config('a.b', 'c' ,  true )", false],
    ["UPDATE a SET b = 1", false],
    ["SETTLE", false],
    ["SELECT 1", false],
  ])("of a handler that ran %j: nobody else gets its connection: %s", async (text, isDestroyed) => {
    const { pool, released } = fakePool();
    const session = poolSession(pool);
    await session.transaction(async (_, { query }) => {
      await query(text);
      await query("SELECT 1"); // what follows changes nothing
    }, 70);
    await session.transaction(async (_, { query }) => void (await query({ text })), 70);
    const failed = session.transaction(async (_, { query }) => {
      await query(text);
      throw ROLLED_BACK; // which undoes it
    }, 70);
    await expect(failed).rejects.toBe(ROLLED_BACK);
    expect(released).toEqual([isDestroyed, isDestroyed, false]);
  });

  it("is beside statements that any connection may run", async () => {
    const { pool, asked } = fakePool();
    expect(await poolSession(pool).query("SELECT 1", [2], 30)).toEqual([{ text: "SELECT 1" }]);
    expect(asked).toEqual([{ text: "SELECT 1", values: [2], query_timeout: 30 }]);
  });
});
