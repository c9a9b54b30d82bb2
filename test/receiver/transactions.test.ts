import { afterAll } from "vitest";
import { postgresInbox } from "../../src/inbox/postgres.ts";
import { pgliteInboxes } from "../inbox/postgres/pglite.ts";
import { describeTransactions } from "./transactions-contract.ts";

const { database, empty } = await pgliteInboxes();
await database.exec("CREATE TABLE effect (event text, handler text)");

afterAll(() => database.close());

describeTransactions("on PGlite", async () => {
  await empty();
  return {
    schema: "hookporter",
    makeInbox: () => postgresInbox(database),
    query: async (text) => (await database.query(text)).rows,
  };
});
