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

it("an entry whose delivery was changed or removed is claimed as one that cannot be read, and says why", async () => {
  const inbox = postgresStore(database, { schema: "changed" });
  await inbox.open();
  for (const number of [1, 2, 3]) await keep(inbox, numberedEntry(number));
  await database.exec(
    "UPDATE changed.delivery SET body = 'other' WHERE seq = 1; DELETE FROM changed.delivery WHERE seq = 2",
  );
  const claimed = await inbox.claim({ now: AT, limit: 5, leaseTime: 1000 });
  expect(claimed.map(({ seq, unreadable }) => [seq, unreadable])).toEqual([
    [1, "its body is not what was received"],
    [2, "it has no delivery"],
    [3, undefined],
  ]);
  await inbox.close();
});

it("resuming a target makes due what waits for that target, and nothing else", async () => {
  const inbox = postgresStore(database, { schema: "resumed" });
  await inbox.open();
  const later = AT + 60_000;
  for (const [number, target] of ["app", "crm"].entries()) {
    await keep(inbox, numberedEntry(number));
    const settlement = settlementOf(await claimOne(inbox), {
      state: "failing",
      runAt: later,
      waits: [{ target, since: AT, attempts: 1, nextAt: later, over: null }],
    });
    await inbox.settle(settlement, AT);
  }
  const due = () => inbox.claim({ now: AT, limit: 5, leaseTime: 1000 });
  await inbox.pause({ scope: "kind", name: "lead.created", since: AT, who: "ann" });
  expect(await inbox.resume({ scope: "kind", name: "lead.created" }, AT)).toBe(true);
  expect(await due()).toEqual([]);
  await inbox.pause({ scope: "target", name: "crm", since: AT, who: "ann" });
  expect(await inbox.resume({ scope: "target", name: "crm" }, AT)).toBe(true);
  expect((await due()).map(({ key }) => key.eventId)).toEqual(["evt_1"]);
  await inbox.close();
});
