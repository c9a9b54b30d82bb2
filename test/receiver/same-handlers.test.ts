import { handleOf } from "../../src/inbox/shared/handle.ts";
import { pgliteInboxes } from "../inbox/postgres/pglite.ts";
import { describeSameHandlers } from "./same-handlers-contract.ts";
import { inboxFile } from "./sample.ts";

const { makeInbox } = await pgliteInboxes();

describeSameHandlers("the inbox in memory", () => "memory:");
describeSameHandlers("an inbox file", inboxFile);
describeSameHandlers("PostgreSQL, in PGlite", () => handleOf(makeInbox()));
