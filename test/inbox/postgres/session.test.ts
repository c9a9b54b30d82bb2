import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { TYPES } from "../../../src/inbox/postgres/column-types.ts";
import { connect, Sockets } from "../../../src/inbox/postgres/connect.ts";
import { readPostgresOptions } from "../../../src/inbox/postgres/postgres-options.ts";
import {
  ABANDONED,
  type PostgresPool,
  poolSession,
  ROLLED_BACK,
} from "../../../src/inbox/postgres/session.ts";
import { message, READY } from "./pglite-server.ts";

const TERMINATED = message("E", Buffer.from("SFATAL\0C57P01\0Mterminating connection\0\0"));

/** The port of a server that does something with each connection. */
async function listening(serve: (socket: Socket) => void): Promise<number> {
  const sockets: Socket[] = [];
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.push(socket.on("error", () => {}));
    serve(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
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
    const port = await listening((socket) =>
      socket.once("data", () => socket.end(Buffer.concat([READY, TERMINATED]))),
    );
    const session = await connect(
      readPostgresOptions(of(`postgres://a@127.0.0.1:${port}/a?sslmode=disable`), {}),
    );
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

it("a connection that the other side never closes is destroyed, although the client did not wait for it", async () => {
  const sockets = new Sockets();
  const socket = sockets.create();
  socket.connect(await listening((held) => void held.resume()), "127.0.0.1");
  await once(socket, "connect");
  await sockets.close(async () => {
    socket.end();
  });
  expect(socket.destroyed).toBe(false);
  await once(socket, "close");
  expect(socket.destroyed).toBe(true);
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

  it("is committed, and its connection is given back, beside statements that any connection may run", async () => {
    const { pool, asked, released, listenersOf } = fakePool();
    const session = poolSession(pool);
    for (let times = 0; times < 2; times++) {
      const result = await session.transaction(
        async (query) => [await query("a", [1]), await query("b")],
        70,
      );
      expect(result).toEqual([[{ text: "a" }], [{ text: "b" }]]);
    }
    const limit = { query_timeout: 70, types: TYPES };
    expect(asked.splice(0, 8).slice(0, 4)).toEqual([
      { text: BEGIN, values: [], ...limit },
      { text: "a", values: [1], ...limit },
      { text: "b", values: [], ...limit },
      { text: "COMMIT", values: [], ...limit },
    ]);
    expect(released).toEqual([false, false]);
    expect(listenersOf()).toBe(1); // however often it is used
    expect(await session.query("SELECT 1", [2], 30)).toEqual([{ text: "SELECT 1" }]);
    expect(asked).toEqual([{ text: "SELECT 1", values: [2], query_timeout: 30, types: TYPES }]);
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

  it("that cannot begin, be committed or rolled back loses its connection, and fails with its first error", async () => {
    const lost = new Error("lost");
    for (const failing of [BEGIN, "COMMIT", "ROLLBACK"]) {
      const { pool, released, texts } = fakePool((text) =>
        text === failing ? Promise.reject(lost) : undefined,
      );
      const [thrown, run] =
        failing === "ROLLBACK"
          ? [ROLLED_BACK, () => Promise.reject(ROLLED_BACK)]
          : [lost, async () => {}];
      await expect(poolSession(pool).transaction(run, 70)).rejects.toBe(thrown);
      expect(released).toEqual([true]);
      expect(texts().includes("ROLLBACK")).toBe(failing === "ROLLBACK");
    }
  });

  it("of a handler sends its statements one by one without a time limit, and leaves no setting behind on a connection of the inbox", async () => {
    const { pool, asked, texts, released } = fakePool();
    const session = poolSession(pool, async () => {});
    await session.transaction(async (query) => void (await query("SELECT 1")), 70);
    expect(texts()).toEqual([BEGIN, "SELECT 1", "COMMIT"]);
    const handler: Parameters<typeof session.transaction>[0] = async (_, { query }) => {
      await query("SELECT $1", [1]);
      await query({ text: "SELECT 3", values: [3] });
    };
    await session.transaction(handler, 70);
    await poolSession(pool).transaction(handler, 70);
    const statements = [
      { text: "SELECT $1", values: [1], queryMode: "extended" },
      { text: "SELECT 3", values: [3], queryMode: "extended" },
    ];
    expect(asked.slice(3)).toMatchObject([
      { text: BEGIN },
      ...statements,
      { text: "COMMIT; RESET SESSION AUTHORIZATION; RESET ROLE; RESET ALL" },
      { text: BEGIN },
      ...statements,
      { text: "COMMIT" }, // what a user's pool has set is not reset
    ]);
    expect(released).toEqual([false, false, false]);
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
});
