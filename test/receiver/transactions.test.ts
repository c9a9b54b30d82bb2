import { expect, it } from "vitest";
import type { PostgresTransaction } from "../../src/entries/index.ts";
import { createTestReceiver } from "../../src/entries/testing.ts";
import { postgresStore } from "../../src/inbox/postgres.ts";
import { pgliteInboxes } from "../inbox/postgres/pglite.ts";
import { describeTransactions } from "./transactions-contract.ts";

const { database, empty } = await pgliteInboxes();
await database.exec("CREATE TABLE effect (event text, handler text)");

describeTransactions("on PGlite", async () => {
  await empty();
  return {
    schema: "hookporter",
    makeInbox: () => postgresStore(database),
    query: async (text) => (await database.query(text)).rows,
  };
});

it("a receiver for tests gives handlers the transaction of the test, and commits or rolls back with it", async () => {
  await database.exec("DELETE FROM effect");
  const receiver = await createTestReceiver({
    transaction: (run) => database.transaction((tx) => run(tx as unknown as PostgresTransaction)),
  });
  const plain: number[] = [];
  receiver.on("payment.received", (_, { attempt }) => void plain.push(attempt));
  receiver.on(
    "payment.received",
    async (event, { tx, attempt }) => {
      await tx.query("INSERT INTO effect (event) VALUES ($1)", [`${event.kind} ${attempt}`]);
      if (attempt === 1) throw new Error("not yet");
    },
    { tx: true, name: "tx" },
  );
  const { state, attempts } = await receiver.deliver("payment.received");
  expect(state).toBe("handled");
  expect(attempts.map(({ outcome }) => outcome)).toEqual(["ok", "error", "ok"]);
  expect(plain).toEqual([1]);
  expect((await database.query("SELECT event FROM effect")).rows).toEqual([
    { event: "payment.received 2" },
  ]);
  await receiver.close();
});
