import { expect, it, onTestFinished, vi } from "vitest";
import type { PostgresDatabase } from "../../src/inbox/postgres/session.ts";
import { postgresStore } from "../../src/inbox/postgres.ts";
import { describeInbox } from "./contract.ts";
import { AT, claimOne, keep, numberedEntry, settlementOf } from "./entries.ts";
import { pgliteInboxes } from "./postgres/pglite.ts";

const { database, makeInbox } = await pgliteInboxes();

describeInbox("the PostgreSQL inbox, on PGlite,", makeInbox, { wakes: true });

it("while claims do not look from the start, finds an entry that is due again before those claimed last", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const slow: PostgresDatabase = {
    query: (text, values) => {
      if (text.includes("leased AS")) vi.advanceTimersByTime(20); // a slow look from the start
      return database.query(text, values);
    },
    transaction: (run) => database.transaction(run),
  };
  await (await opened(makeInbox())).close();
  const inbox = await opened(postgresStore(slow, { schema: "hookporter" }));
  onTestFinished(() => inbox.close());
  await keep(inbox, numberedEntry(1));
  const now = AT + 60_000;
  const first = await claimOne(inbox, now);
  expect(
    await inbox.settle(settlementOf(first, { state: "failing", runAt: AT, unordered: true }), now),
  ).toBe(true);
  expect(await inbox.claim({ now, limit: 10, leaseTime: 1000 })).toMatchObject([{ attempts: 2 }]);
});

async function opened(inbox: ReturnType<typeof makeInbox>) {
  await inbox.open();
  return inbox;
}

it("the figures of an inbox are the size of its tables and indexes, and the time of each commit", async () => {
  const inbox = await opened(postgresStore(database, { schema: "vitals" }));
  const times: number[] = [];
  inbox.vitals?.onCommit((ms) => times.push(ms));
  const before = (await inbox.vitals?.size())?.bytes ?? 0;
  for (let number = 0; number < 50; number++) await keep(inbox, numberedEntry(number));
  const size = await inbox.vitals?.size();
  expect(before).toBeGreaterThan(0);
  expect(size?.bytes).toBeGreaterThan(before);
  expect(size?.freeBytes).toBeUndefined();
  expect(times.length).toBeGreaterThan(25);
  await inbox.close();
});
