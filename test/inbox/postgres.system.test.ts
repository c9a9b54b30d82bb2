import { expect, it } from "vitest";
import { postgresStore } from "../../src/inbox/postgres.ts";
import { describeInbox } from "./contract.ts";
import { keep, numberedEntry } from "./entries.ts";
import { pgliteInboxes } from "./postgres/pglite.ts";

const { database, makeInbox } = await pgliteInboxes();

describeInbox("the PostgreSQL inbox, on PGlite,", makeInbox);

it("the figures of an inbox are the size of its tables and indexes, and the time of each commit", async () => {
  const inbox = postgresStore(database, { schema: "vitals" });
  const times: number[] = [];
  await inbox.open({ onCommit: (ms) => times.push(ms) });
  const { bytes: before } = await inbox.size();
  for (let number = 0; number < 50; number++) await keep(inbox, numberedEntry(number));
  const size = await inbox.size();
  expect(before).toBeGreaterThan(0);
  expect(size.bytes).toBeGreaterThan(before);
  expect(size.freeBytes).toBeUndefined();
  expect(times.length).toBeGreaterThan(25);
  await inbox.close();
});
