import { beforeEach, expect, it, onTestFinished } from "vitest";
import { storeClock } from "../../../src/inbox/postgres/clock.ts";
import { connect } from "../../../src/inbox/postgres/connect.ts";
import { readPostgresOptions } from "../../../src/inbox/postgres/postgres-options.ts";
import { Store } from "../../../src/inbox/postgres/store.ts";
import { keepDays } from "../../../src/inbox/postgres/upkeep.ts";
import { postgresStore } from "../../../src/inbox/postgres.ts";
import { keptLog } from "../../receiver/sample.ts";
import { keep, sampleDelivery, sampleEntry, sampleKey } from "../entries.ts";
import { pgliteInboxes } from "./pglite.ts";

const DAY = 86_400_000;

const { database } = await pgliteInboxes("unused");
let schemas = 0;
let schema: string;

beforeEach(async () => {
  schema = `upkeep_${++schemas}`;
  const inbox = postgresStore(database, { schema });
  await inbox.open();
  await inbox.close();
});

/** Puts the clock of the database some days ahead. */
async function passDays(days: number): Promise<void> {
  await database.exec(`
    CREATE SCHEMA IF NOT EXISTS later;
    CREATE OR REPLACE FUNCTION later.now() RETURNS timestamptz LANGUAGE sql AS
      $$ SELECT pg_catalog.now() + interval '${days} days' $$;
    SET search_path = later, pg_catalog`);
}

/** Keeps an entry that is received some days from now. */
async function keepAt(days: number): Promise<void> {
  const inbox = postgresStore(database, { schema });
  await inbox.open({ access: "change" });
  const at = Date.now() + days * DAY;
  const key = sampleKey({ eventId: `evt_${days}`, timestamp: at });
  await keep(inbox, sampleEntry({ key, delivery: sampleDelivery({ receivedAt: at }) }));
  await inbox.close();
}

/** Upkeep as an open inbox does it; `look` is what its timer does. */
async function upkeep() {
  onTestFinished(async () => void (await database.exec("RESET search_path")));
  const terms = readPostgresOptions(database, { schema });
  const store = new Store(await connect(terms), terms);
  const { log, lines } = keptLog();
  const kept = keepDays(store, storeClock(), log);
  return { look: () => kept.start().then(() => kept.stop()), lines };
}

const breakDays = (body: string) =>
  database.exec(`CREATE OR REPLACE FUNCTION ${schema}.make_days(now_ms bigint, ahead int) RETURNS int
    LANGUAGE plpgsql AS $$ BEGIN ${body} END $$`);

it("says nothing if days are made in time", async () => {
  const { look, lines } = await upkeep();
  await passDays(3);
  await keepAt(3);
  for (let times = 0; times < 4; times++) await look();
  expect(lines).toEqual([]);
});

it("warns once that days were not made for long, and how many share a partition", async () => {
  const { look, lines } = await upkeep();
  await keepAt(5);
  await keepAt(9);
  await passDays(9);
  await look();
  await look();
  expect(lines).toMatchObject([{ level: "warn", fields: { days: 6 } }]);
});

it("says nothing of days without entries for which no partition was made", async () => {
  const { look, lines } = await upkeep();
  await passDays(9);
  await look();
  expect(lines).toEqual([]);
});

it.each([
  ["since another session holds their lock", "RETURN 0;", {}],
  ["since the function fails", "RAISE 'canary';", { error: expect.stringContaining("canary") }],
])(
  "warns once that days cannot be made %s, and once more when there is none for today",
  async (_, body, fields) => {
    const { look, lines } = await upkeep();
    await breakDays(body);
    await passDays(3);
    await look();
    await look();
    expect(lines).toEqual([]); // it may be over soon
    for (let times = 0; times < 4; times++) await look();
    expect(lines).toMatchObject([{ level: "warn", fields: { daysLeft: 0, ...fields } }]);
    await passDays(6);
    for (let times = 0; times < 4; times++) await look();
    expect(lines).toHaveLength(2);
    expect(lines[1]).toMatchObject({
      level: "warn",
      fields: { daysLeft: expect.any(Number), ...fields },
    });
  },
);
