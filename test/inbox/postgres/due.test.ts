import { onTestFinished } from "vitest";
import { postgresStore } from "../../../src/inbox/postgres.ts";
import { describeDue } from "./due-contract.ts";
import { pgliteInboxes } from "./pglite.ts";

const { database, empty } = await pgliteInboxes("due");

describeDue("PostgreSQL, in PGlite", async () => {
  await empty();
  const two = [
    postgresStore(database, { schema: "due" }),
    postgresStore(database, { schema: "due" }),
  ] as const;
  for (const inbox of two) {
    await inbox.open();
    onTestFinished(() => inbox.close());
  }
  return two;
});
