import { beforeEach, expect, it, onTestFinished } from "vitest";
import { OWN_IDENTITY, REJECTED } from "../../../src/event/identity.ts";
import type { NewEntry } from "../../../src/inbox/append.ts";
import type { Inbox } from "../../../src/inbox/inbox.ts";
import { storeClock } from "../../../src/inbox/postgres/clock.ts";
import { connect } from "../../../src/inbox/postgres/connect.ts";
import { readPostgresOptions } from "../../../src/inbox/postgres/postgres-options.ts";
import { Store } from "../../../src/inbox/postgres/store.ts";
import { keepDays, makeDays } from "../../../src/inbox/postgres/upkeep.ts";
import { postgresStore } from "../../../src/inbox/postgres.ts";
import { pruneInbox } from "../../../src/inbox/prune.ts";
import { keptLog } from "../../receiver/sample.ts";
import { keep, RUN, sampleDelivery, sampleEntry, sampleKey, settlementOf } from "../entries.ts";
import { pgliteInboxes } from "./pglite.ts";

const DAY = 86_400_000;
/** The first day that has a partition of its own. */
const TODAY = Math.floor(Date.now() / DAY) * DAY;
const RECORD = { ...RUN, handler: "a", startedAt: TODAY };

const { database } = await pgliteInboxes("unused");
let schemas = 0;
let schema: string;
let inbox: Inbox;

beforeEach(async () => {
  schema = `days_${++schemas}`;
  inbox = postgresStore(database, { schema });
  await inbox.open();
});

/** An entry of an event at a time, received a second later. */
const entryAt = (at: number, id: string, parts: Partial<NewEntry> = {}) =>
  sampleEntry({
    key: sampleKey({ eventId: id, timestamp: at }),
    eventTimestamp: at,
    delivery: sampleDelivery({ receivedAt: at + 1000 }),
    ...parts,
  });

const end = async (
  at: number,
  id: string,
  parts: Partial<NewEntry> = {},
  state: "handled" | "dead" = "handled",
) => {
  const { seq } = await keep(inbox, entryAt(at, id, parts));
  const [claimed] = await inbox.claim({ now: at + 1000, limit: 1, leaseTime: 1000, only: seq });
  if (claimed === undefined) throw new Error("expected the entry to be claimed");
  await inbox.settle(settlementOf(claimed, { state, records: [RECORD] }), at + 2000);
  return seq;
};

const count = async (sql: string) => Number((await database.query<{ n: number }>(sql)).rows[0]?.n);
const partitions = (table: string) =>
  count(`SELECT count(*) AS n FROM pg_inherits WHERE inhparent = '${schema}.${table}'::regclass`);
const ids = async () => (await inbox.list({})).map(({ key }) => key.eventId);
const pruneUntil = async (until: number, sources?: readonly string[]) => {
  const request = {
    states: ["handled", "received"],
    receivedUntil: until,
    datedUntil: until,
  } as const;
  return (await pruneInbox(inbox, { prune: { ...request, ...(sources && { sources }) } })).pruned;
};
/** As the receivers of a source prune. */
const pruneDays = async (source: string, until: number) => {
  const terms = { receivedUntil: until, datedUntil: until, sources: [source], wholeDays: true };
  return (await pruneInbox(inbox, { prune: { states: ["handled", "received"], ...terms } })).pruned;
};
const slimDays = async (source: string, settledUntil: number) =>
  (await pruneInbox(inbox, { slim: { settledUntil, sources: [source], wholeDays: true } })).slimmed;
/** Adds many done entries of today. */
const fill = (source: string, many: number) =>
  database.exec(`
    INSERT INTO ${schema}.entry SELECT 10000 + i, ${TODAY} + i, '${source}', '${source}', NULL, NULL, NULL, ${TODAY} + i, '', 0 FROM generate_series(1, ${many}) i;
    INSERT INTO ${schema}.handled SELECT 10000 + i, ${TODAY} + i, ${TODAY} + i, ${TODAY} + i, '${source}', NULL, 0, 0, 1, '[]', NULL, NULL FROM generate_series(1, ${many}) i;
    SELECT setval('${schema}.seq', ${20_000});
  `);
const storeOf = async (name: string) => {
  const terms = readPostgresOptions(database, { schema: name });
  return new Store(await connect(terms), terms);
};

it("today and the next three days have a partition in each daily table", async () => {
  for (const table of ["delivery", "handled", "attempt", "repeat"])
    expect(await partitions(table)).toBe(6);
  expect(await partitions("entry")).toBe(7);
  expect(await makeDays(await storeOf(schema))).toBe(0);
});

it("a day is dropped with all that belongs to its entries, and none of them is taken for new again", async () => {
  const seqs = [];
  for (const number of [1, 2, 3]) seqs.push(await end(TODAY + number, `evt_${number}`));
  await inbox.append(entryAt(TODAY + 1, "evt_1"));
  await end(TODAY + DAY, "tomorrow");
  expect(await pruneUntil(TODAY + DAY - 1)).toBe(3);
  expect(await partitions("entry")).toBe(6);
  expect(await partitions("delivery")).toBe(5);
  expect(await ids()).toEqual(["tomorrow"]);
  for (const seq of seqs) {
    expect(await inbox.delivery(seq)).toBeUndefined();
    expect(await inbox.attempts(seq)).toEqual([]);
  }
  expect(await count(`SELECT count(*) AS n FROM ${schema}.repeat`)).toBe(0);
  expect(await inbox.append(entryAt(TODAY + 3, "evt_4"))).toBeUndefined();
  expect(await inbox.append(entryAt(TODAY + 4, "evt_4"))).toMatchObject({ duplicate: false });
  expect(await inbox.counts()).toMatchObject({ handled: 1, waiting: 1 });
});

it("entries that must stay outlive their day: waiting, dead, received later, of another source", async () => {
  await end(TODAY + 1, "handled");
  const dead = await end(TODAY + 2, "dead", {}, "dead");
  await keep(inbox, entryAt(TODAY + 3, "waiting", { runAt: TODAY + DAY }));
  await end(TODAY + 4, "late", { delivery: sampleDelivery({ receivedAt: TODAY + DAY + 5 }) });
  const key = sampleKey({ eventId: "theirs", timestamp: TODAY + 5, source: "other" });
  await end(TODAY + 5, "theirs", { key });
  await end(TODAY + DAY, "tomorrow");
  const before = await inbox.list({});
  expect(await pruneUntil(TODAY + DAY - 1, ["service"])).toBe(1);
  expect(await partitions("handled")).toBe(5);
  expect(await inbox.list({})).toEqual(before.slice(1));
  expect(await inbox.delivery(dead)).toBeDefined();
  expect(await inbox.attempts(dead)).toHaveLength(1);
  expect(await inbox.append(entryAt(TODAY + 2, "dead"))).toMatchObject({
    duplicate: true,
    state: "dead",
  });
  expect(await inbox.append(entryAt(TODAY + 3, "waiting"))).toMatchObject({ duplicate: true });
  expect(await inbox.retry({}, TODAY + DAY)).toMatchObject({ ended: 1 });
  expect(await inbox.claim({ now: TODAY + DAY, limit: 5, leaseTime: 10 })).toMatchObject([
    { seq: dead, key: { eventId: "dead" } },
    { key: { eventId: "waiting" } },
  ]);
});

it("entries whose keys are no times, or of another day, are deleted with the day they were received", async () => {
  const delivery = sampleDelivery({ receivedAt: TODAY + 10 });
  const own = sampleKey({ eventId: "own", timestamp: OWN_IDENTITY });
  await end(TODAY + 9, "own", { key: own, delivery });
  await end(TODAY - 3 * DAY, "older", { delivery });
  const rejected = sampleKey({ eventId: "raw", timestamp: REJECTED });
  await keep(
    inbox,
    entryAt(TODAY, "raw", { key: rejected, delivery, state: "dead", reason: "invalid_json" }),
  );
  await end(TODAY + DAY, "tomorrow");
  expect(await pruneUntil(TODAY + DAY - 1)).toBe(2);
  expect(await partitions("handled")).toBe(5);
  expect(await ids()).toEqual(["raw", "tomorrow"]);
  expect(await inbox.append(entryAt(TODAY, "raw", { key: rejected, state: "dead" }))).toMatchObject(
    {
      duplicate: true,
    },
  );
  expect(await inbox.append(entryAt(TODAY - 3 * DAY, "older"))).toBeUndefined();
});

it("deliveries are dropped by the day, before their entries", async () => {
  const done = await end(TODAY + 1, "handled");
  const dead = await end(TODAY + 2, "dead", {}, "dead");
  await end(TODAY + DAY, "tomorrow");
  const before = await inbox.list({});
  const slim = { settledUntil: TODAY + DAY - 1 };
  expect(await pruneInbox(inbox, { slim })).toEqual({ pruned: 0, slimmed: 1 });
  expect(await partitions("delivery")).toBe(5);
  expect(await partitions("handled")).toBe(6);
  expect(await inbox.list({})).toEqual(before);
  expect(await inbox.delivery(done)).toBeUndefined();
  expect(await inbox.delivery(dead)).toBeDefined();
  expect(await pruneUntil(TODAY + DAY - 1)).toBe(1);
  expect(await partitions("delivery")).toBe(5);
  expect(await inbox.delivery(dead)).toBeDefined();
  expect(await ids()).toEqual(["dead", "tomorrow"]);
});

it("a day of which most entries must stay is not dropped, but pruned row by row", async () => {
  await end(TODAY + 1, "mine");
  await database.exec(`
    INSERT INTO ${schema}.entry SELECT 100 + i, ${TODAY} + i, 'other', 'other', NULL, NULL, NULL, ${TODAY} + i, '', 0 FROM generate_series(10, 5100) i;
    INSERT INTO ${schema}.handled SELECT 100 + i, ${TODAY} + i, ${TODAY} + i, ${TODAY} + i, 'other', NULL, 0, 0, 1, '[]', NULL, NULL FROM generate_series(10, 5100) i;
  `);
  expect(await pruneUntil(TODAY + DAY - 1, ["service"])).toBe(1);
  expect(await partitions("handled")).toBe(6);
  expect(await inbox.counts()).toMatchObject({ handled: 5091 });
});

it("nothing is refused or lost if no days were made for a long time, and the days are made again", async () => {
  const later = TODAY + 14 * DAY;
  const farAhead = TODAY + 400 * DAY;
  for (const [index, at] of [TODAY + 5 * DAY, TODAY + 9 * DAY, later, farAhead].entries()) {
    await end(at, `evt_${index}`);
  }
  const before = await inbox.list({});
  const made = await database.query<{ made: number }>(
    `SELECT ${schema}.make_days(${later}, 3) AS made`,
  );
  // one that holds what came meanwhile, and three new ones
  expect(made.rows).toEqual([{ made: 4 }]);
  expect(await inbox.list({})).toEqual(before);
  expect(await count(`SELECT count(*) AS n FROM ${schema}.entry_late`)).toBe(1);
  for (const [index, at] of [TODAY + 5 * DAY, later, farAhead].entries()) {
    expect(await inbox.append(entryAt(at, `evt_${[0, 2, 3][index]}`))).toMatchObject({
      duplicate: true,
    });
  }
  await end(later + DAY, "new");
  expect(await pruneUntil(later + DAY - 1)).toBe(3);
  expect(await partitions("handled")).toBe(5);
  expect(await ids()).toEqual(["evt_3", "new"]);
});

it("the handled entries of a large day are counted by its statistics, the others one by one", async () => {
  await end(TODAY + 1, "today");
  await end(TODAY - DAY, "before");
  await end(TODAY + 9 * DAY, "after");
  expect(await inbox.counts()).toMatchObject({ handled: 3 });
  const name = `handled_${TODAY / DAY}`;
  await database.exec(
    `UPDATE pg_class SET reltuples = 250000 WHERE relname = '${name}' AND relnamespace = '${schema}'::regnamespace`,
  );
  expect(await inbox.counts()).toMatchObject({ handled: 250_002, dead: 0 });
});

it("a receiver's pruning waits for the end of a day, and drops it with all of its entries", async () => {
  const hour = 3_600_000;
  for (const [number, at] of [TODAY - DAY, TODAY + 1, TODAY + 12 * hour, TODAY + DAY].entries())
    await end(at, `evt_${number}`);
  expect(await pruneDays("service", TODAY + 13 * hour)).toBe(1); // of the days before the first
  expect(await slimDays("service", TODAY + 13 * hour)).toBe(0);
  expect(await ids()).toEqual(["evt_1", "evt_2", "evt_3"]);
  expect(await pruneDays("service", TODAY + DAY - 1)).toBe(2);
  expect(await partitions("handled")).toBe(5);
  expect(await ids()).toEqual(["evt_3"]);
});

it("a day of several sources is dropped once the last of them no longer needs it", async () => {
  await fill("other", 6000);
  await end(TODAY + 1, "mine");
  await end(TODAY + DAY, "tomorrow");
  expect(await pruneDays("service", TODAY + DAY)).toBe(0);
  expect(await inbox.counts()).toMatchObject({ handled: 6002 });
  expect(await pruneDays("other", TODAY + DAY)).toBe(6001);
  expect(await partitions("handled")).toBe(5);
  expect(await ids()).toEqual(["tomorrow"]);
  expect(await inbox.append(entryAt(TODAY + 5000, "mine_2"))).toMatchObject({ duplicate: false });
  const theirs = { source: "other", eventId: "other_2", timestamp: TODAY + 5000 };
  expect(await inbox.append(entryAt(TODAY + 5000, "other_2", { key: theirs }))).toBeUndefined();
});

it("the entries of a source are deleted one by one if another source needs their day for longer", async () => {
  await fill("other", 6000);
  const seq = await end(TODAY + 1, "mine");
  await end(TODAY + DAY, "tomorrow");
  expect(await pruneDays("service", TODAY + 2 * DAY)).toBe(1);
  expect(await inbox.delivery(seq)).toBeUndefined();
  expect(await inbox.counts()).toMatchObject({ handled: 6001 });
  expect(await partitions("handled")).toBe(6);
});

it("the newest days stay, however late the time is up to which is pruned", async () => {
  for (const number of [0, 1, 2]) await end(TODAY + number * DAY, `evt_${number}`);
  expect(await pruneUntil(TODAY + 1000 * DAY)).toBe(3);
  expect(await partitions("handled")).toBe(3);
  expect(await makeDays(await storeOf(schema), 5)).toBe(2);
  await end(TODAY + 4 * DAY, "next");
  expect(await ids()).toEqual(["next"]);
});

/**
 * Upkeep as an open inbox does it, some days later: what it logs in some looks, as a timer takes
 * them.
 */
async function looksAfter(days: number, looks: number) {
  await database.exec(`
    CREATE SCHEMA IF NOT EXISTS later;
    CREATE OR REPLACE FUNCTION later.now() RETURNS timestamptz LANGUAGE sql AS
      $$ SELECT pg_catalog.now() + interval '${days} days' $$;
    SET search_path = later, pg_catalog`);
  onTestFinished(async () => void (await database.exec("RESET search_path")));
  const { log, lines } = keptLog();
  const upkeep = keepDays(await storeOf(schema), storeClock(), log);
  for (let times = 0; times < looks; times++) await upkeep.start().then(() => upkeep.stop());
  return lines;
}

it("upkeep warns once that days were not made for long, and how many share a partition", async () => {
  for (const days of [5, 9]) await keep(inbox, entryAt(TODAY + days * DAY, `evt_${days}`));
  expect(await looksAfter(9, 2)).toMatchObject([{ level: "warn", fields: { days: 6 } }]);
});
