import { expect, it, onTestFinished, vi } from "vitest";
import { storeClock } from "../../../src/inbox/postgres/clock.ts";
import type { Store } from "../../../src/inbox/postgres/store.ts";
import { postgresStore } from "../../../src/inbox/postgres.ts";
import { AT, keep, numberedEntry, sampleRunner, settlementOf } from "../entries.ts";
import { pgliteInboxes } from "./pglite.ts";

const HOUR = 3_600_000;
const { database, empty } = await pgliteInboxes();

/** The monotonic clock, until the test ends. */
function frozen(now: number) {
  const clock = { now };
  vi.spyOn(performance, "now").mockImplementation(() => clock.now);
  onTestFinished(() => void vi.restoreAllMocks());
  return clock;
}

/** A database that answers after 40 ms that it is this time. */
function answering(time: number, monotonic: { now: number }): Store {
  const query = async () => {
    monotonic.now += 40;
    return [{ time: String(time) }];
  };
  return { query } as unknown as Store;
}

it("the clock of the database goes on between measurements, and within a second counts as the machine's", async () => {
  const monotonic = frozen(500);
  const wall = { now: AT };
  const clock = storeClock(() => wall.now);
  expect(clock.now()).toBe(AT);
  await clock.measure(answering(AT + 900, monotonic));
  expect(clock.now()).toBe(AT);
  await clock.measure(answering(AT - 1100, monotonic));
  expect(clock.now()).toBe(AT - 1080);
  await clock.measure(answering(AT + HOUR, monotonic));
  expect(clock.now()).toBe(AT + HOUR + 20);
  monotonic.now += 7;
  wall.now -= 5 * HOUR; // whatever the machine's clock does
  expect(clock.now()).toBe(AT + HOUR + 27);
});

it("an entry of a machine whose clock is ahead is due at once", async () => {
  await empty();
  const inbox = postgresStore(database, { clock: () => Date.now() + HOUR });
  await inbox.open();
  const ahead = numberedEntry(1, Date.now() + HOUR - AT);
  await keep(inbox, ahead);
  await keep(inbox, {
    ...numberedEntry(2, Date.now() + HOUR - AT),
    runAt: Date.now() + HOUR + 60_000,
  });
  const now = inbox.now ?? 0;
  expect(Math.abs(now - Date.now())).toBeLessThan(60_000);
  const claimed = await inbox.claim({ now: now + 5, limit: 5, leaseTime: 1000 });
  expect(claimed.map(({ key }) => key.eventId)).toEqual(["evt_1"]);
  const next = (await inbox.nextRunAt({ except: claimed.map(({ seq }) => seq) })) ?? 0;
  expect(next - now).toBeGreaterThan(30_000);
  expect(next - now).toBeLessThan(61_000);
  await inbox.close();
});

it("what a machine whose clock is ahead makes due again is due at once", async () => {
  await empty();
  const inbox = postgresStore(database, { clock: () => Date.now() + HOUR });
  await inbox.open();
  onTestFinished(() => inbox.close());
  const ahead = Date.now() + HOUR;
  const dueIn = async () => ((await inbox.nextRunAt()) ?? Number.POSITIVE_INFINITY) - Date.now();
  const { seq } = await keep(inbox, numberedEntry(1, 0, { state: "dead", reason: "too_old" }));
  expect(await inbox.retry({}, ahead)).toEqual({ due: 0, ended: 1 });
  expect(await dueIn()).toBeLessThan(60_000);
  const [claimed] = await inbox.claim({ now: inbox.now ?? 0, limit: 1, leaseTime: 1000 });
  if (claimed === undefined) throw new Error("expected an entry");
  const waits = { state: "waiting", reason: "no_handler", runAt: ahead + HOUR } as const;
  await inbox.settle(settlementOf(claimed, waits), ahead);
  await inbox.register(sampleRunner(), ahead);
  expect(await dueIn()).toBeLessThan(60_000);
  for (const of of [
    { scope: "target", name: "crm" } as const,
    { scope: "kind", name: "payment.*" } as const,
  ]) {
    const target = { target: "crm", since: AT, attempts: 1, nextAt: AT, over: null };
    const [again] = await inbox.claim({ now: ahead, limit: 1, leaseTime: 1000, only: seq });
    if (again === undefined) throw new Error("expected the entry");
    const reason = of.scope === "kind" ? "paused" : null;
    await inbox.settle(
      settlementOf(again, { state: "waiting", reason, runAt: ahead + HOUR, waits: [target] }),
      ahead,
    );
    await inbox.pause?.({ ...of, since: AT, who: "me" });
    expect(await inbox.resume?.(of, ahead)).toBe(true);
    expect(await dueIn()).toBeLessThan(60_000);
  }
});
