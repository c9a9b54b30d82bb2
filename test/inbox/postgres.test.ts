import { afterAll } from "vitest";
import { describeInbox } from "./contract.ts";
import { pgliteInboxes } from "./postgres/pglite.ts";

const { database, makeInbox } = await pgliteInboxes();

afterAll(() => database.close());

describeInbox("the PostgreSQL inbox, on PGlite,", makeInbox, { wakes: true });
