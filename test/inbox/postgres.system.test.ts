import { expect, it } from "vitest";
import { postgresStore } from "../../src/inbox/postgres.ts";
import { describeInbox } from "./contract.ts";
import { AT, claimOne, keep, numberedEntry, settlementOf } from "./entries.ts";
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

it("more than a million handled entries are not counted, but reckoned from the statistics and the size", async () => {
  const inbox = postgresStore(database, { schema: "reckoned" });
  await inbox.open();
  await keep(inbox, numberedEntry(1));
  await inbox.settle(settlementOf(await claimOne(inbox)), AT);
  await keep(inbox, numberedEntry(2));
  const believe = (rows: number) =>
    database.exec(
      `UPDATE pg_class SET reltuples = ${rows}, relpages = 1 WHERE oid = 'reckoned.handled'::regclass`,
    );
  await believe(1e6);
  expect(await inbox.counts()).toMatchObject({ handled: 1, waiting: 1 });
  expect(await inbox.counts()).not.toHaveProperty("handledIsEstimate");
  await believe(2e6);
  expect(await inbox.counts()).toMatchObject({ handled: 2e6, waiting: 1, handledIsEstimate: true });
  expect(await inbox.counts({ kinds: ["payment.*"] })).not.toHaveProperty("handledIsEstimate");
  await inbox.close();
});
