import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import packageJson from "../../../package.json" with { type: "json" };
import type { Inbox } from "../../../src/inbox/inbox.ts";
import { postgresStore } from "../../../src/inbox/postgres.ts";

/**
 * Empties the tables of a schema, and begins the numbers of entries anew; much faster than a schema
 * for each test.
 */
export const emptySql = (schema: string) => [
  ...[
    "entry",
    "delivery",
    "turn",
    "dead_or_received",
    "handled",
    "attempt",
    "repeat",
    "runner",
    "sender",
    "paused",
    "pace",
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

let shared: Promise<PGlite> | undefined;

/**
 * A database in this process. All test files of a worker share it, as starting one takes seconds;
 * it ends with the worker.
 */
export function sharedPglite(): Promise<PGlite> {
  shared ??= startPglite();
  return shared;
}

/**
 * Starts from a copy of an empty database if an earlier run left one: making one takes eight times
 * as long.
 */
async function startPglite(): Promise<PGlite> {
  const folder = join(
    import.meta.dirname,
    "..",
    "..",
    "..",
    "node_modules",
    ".cache",
    "hookporter",
  );
  const path = join(
    folder,
    `${packageJson.devDependencies["@electric-sql/pglite"].replace("^", "pglite-")}.tar`,
  );
  const isKept = existsSync(path);
  const database = new PGlite(isKept ? { loadDataDir: new Blob([readFileSync(path)]) } : {});
  await database.waitReady; // on a busy machine it takes longer than a statement may
  if (!isKept) {
    const copy = await database.dumpDataDir("none");
    mkdirSync(folder, { recursive: true });
    writeFileSync(`${path}.${process.pid}`, Buffer.from(await copy.arrayBuffer()));
    renameSync(`${path}.${process.pid}`, path);
  }
  return database;
}

/** The shared database with an inbox in it, and inboxes on it that begin empty. */
export async function pgliteInboxes(schema = "hookporter") {
  const database = await sharedPglite();
  const first = postgresStore(database, { schema });
  await first.open();
  await first.close();
  const empty = async () => {
    await database.exec(emptySql(schema).join(";"));
  };
  await empty(); // another file may have used the schema
  return { database, empty, makeInbox: () => emptied(postgresStore(database, { schema }), empty) };
}
