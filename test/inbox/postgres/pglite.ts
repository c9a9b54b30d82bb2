import { PGlite } from "@electric-sql/pglite";
import type { Inbox } from "../../../src/inbox/inbox.ts";
import { postgresStore } from "../../../src/inbox/postgres.ts";

/** Empties the tables of a schema, and begins the numbers of entries anew; much faster than a schema for each test. */
export const emptySql = (schema: string) => [
  ...[
    "entry",
    "delivery",
    "turn",
    "stuck",
    "done",
    "attempt",
    "repeat",
    "runner",
    "sender",
    "paused",
    "pace",
    "no_longer_needed",
    "erasure",
    "erased",
  ].map((table) => `DELETE FROM ${schema}.${table}`),
  `UPDATE ${schema}.pruned SET marks = '{}'`,
  `ALTER SEQUENCE ${schema}.seq RESTART`,
];

/** An inbox that empties its schema when it is opened. */
export function emptied(inbox: Inbox, empty: () => Promise<void>): Inbox {
  const open = inbox.open.bind(inbox);
  inbox.open = async (terms) => {
    await empty();
    await open(terms);
  };
  return inbox;
}

let shared: PGlite | undefined;

/** A database in this process. All test files of a worker share it, as starting one takes seconds; it ends with the worker. */
export function sharedPglite(): PGlite {
  shared ??= new PGlite();
  return shared;
}

/** The shared database with an inbox in it, and inboxes on it that begin empty. */
export async function pgliteInboxes(schema = "hookporter") {
  const database = sharedPglite();
  await database.waitReady; // on a busy machine it takes longer than a statement may
  const first = postgresStore(database, { schema });
  await first.open();
  await first.close();
  const empty = async () => {
    await database.exec(emptySql(schema).join(";"));
  };
  await empty(); // another file may have used the schema
  return { database, empty, makeInbox: () => emptied(postgresStore(database, { schema }), empty) };
}
