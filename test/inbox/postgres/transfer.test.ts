import { expect, it } from "vitest";
import { connect } from "../../../src/inbox/postgres/connect.ts";
import { readPostgresOptions } from "../../../src/inbox/postgres/postgres-options.ts";
import { Store } from "../../../src/inbox/postgres/store.ts";
import { openSchemaTransfer } from "../../../src/inbox/postgres/transfer.ts";
import { writeFitting } from "../../../src/inbox/sqlite/salvage/write-fitting.ts";
import { openFileTransfer } from "../../../src/inbox/sqlite/transfer.ts";
import { inboxFile } from "../../receiver/sample.ts";
import { keep, numberedEntry } from "../entries.ts";
import { using } from "../sqlite/opened.ts";
import { sharedPglite } from "./pglite.ts";

const SCHEMA = "transferred";
const database = await sharedPglite();
const open = async (access: "read" | "own", schema = SCHEMA) => {
  const terms = readPostgresOptions(database, { schema });
  return openSchemaTransfer(new Store(await connect(terms), terms), access);
};
const count = async (sql: string) => (await database.query<{ n: number }>(sql)).rows[0]?.n;

it("what is only read is not made, and what is copied into is made", async () => {
  await expect(open("read")).rejects.toMatchObject({ code: "inbox_unavailable" });
  expect(
    await count(`SELECT count(*)::int AS n FROM pg_namespace WHERE nspname = '${SCHEMA}'`),
  ).toBe(0);
  const into = await open("own");
  await into.close();
  const from = await open("read");
  expect([await from.last(), await from.count(), await from.runners()]).toEqual([0, 0, 0]);
  expect(await from.read({ after: 0, limit: 10 })).toEqual([]);
  await from.close();
});

it("entries whose key is there are refused alone, as in a salvage", async () => {
  const path = inboxFile();
  await using(path, (inbox) =>
    Promise.all([1, 2, 3].map((number) => keep(inbox, numberedEntry(number, number)))),
  );
  const from = await openFileTransfer(path, "read");
  const [first, second, third] = await from.read({ after: 0, limit: 3 });
  await from.close();
  if (!first || !second || !third) return expect.unreachable("three entries were kept");
  const again = { ...second, entry: { ...second.entry, key: first.entry.key } };
  const into = await open("own", "fitting");
  expect(await writeFitting(into, [first, again, third])).toEqual([2]);
  expect(await into.count()).toBe(2);
  expect(into.isFaultOfRow(new Error("not of a row"))).toBe(false);
  await into.close();
});
