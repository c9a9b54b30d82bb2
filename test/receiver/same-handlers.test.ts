import { afterAll } from "vitest";
import { pgliteInboxes } from "../inbox/postgres/pglite.ts";
import { describeSameHandlers } from "./same-handlers-contract.ts";
import { inboxFile } from "./sample.ts";

const { database, makeInbox } = await pgliteInboxes();
afterAll(() => database.close());

describeSameHandlers("the inbox in memory", () => "memory:");
describeSameHandlers("an inbox file", inboxFile);
describeSameHandlers("PostgreSQL, in PGlite", makeInbox);
