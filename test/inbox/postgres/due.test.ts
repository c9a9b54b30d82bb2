import { onTestFinished } from "vitest";
import { postgresStore } from "../../../src/inbox/postgres.ts";
import { describeDue } from "./due-contract.ts";
import { pgliteInboxes } from "./pglite.ts";

const { database, empty } = await pgliteInboxes("due");

describeDue("PostgreSQL, in PGlite", async (...terms) => {
  await empty();
  const two = [
    postgresStore(database, { schema: "due" }),
    postgresStore(database, { schema: "due" }),
  ] as const;
  for (const [index, inbox] of two.entries()) {
    await inbox.open(terms[index]);
    onTestFinished(() => inbox.close());
  }
  return two;
});
