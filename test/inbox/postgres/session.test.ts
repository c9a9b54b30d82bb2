import { createServer } from "node:net";
import pg from "pg";
import { expect, it, onTestFinished } from "vitest";
import { connect } from "../../../src/inbox/postgres/connect.ts";
import { readPostgresOptions } from "../../../src/inbox/postgres/options.ts";

/** A message of PostgreSQL's protocol: its type, its length, its content. */
function message(type: string, content: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(content.length + 4, 1);
  return Buffer.concat([head, content]);
}

const READY = Buffer.concat([message("R", Buffer.alloc(4)), message("Z", Buffer.from("I"))]);
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
