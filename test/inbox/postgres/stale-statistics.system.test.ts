import { PGlite } from "@electric-sql/pglite";
import { afterAll, expect, it } from "vitest";
import type { ClaimedEntry } from "../../../src/inbox/claim.ts";
import type { PostgresDatabase, PostgresQueries } from "../../../src/inbox/postgres/session.ts";
import { postgresStore } from "../../../src/inbox/postgres.ts";
import { AT, eraseEntries, RUN, settlementOf } from "../entries.ts";

// A vacuum of an empty table that keeps its pages leaves the planner believing that the table has
// one row, however large it grows, until the next vacuum. That is what autovacuum does to a queue
// that is idle for a while.

/** Entries that are claimed, renewed and settled together. */
const BATCH = 32;
/**
 * Entries that wait: a statement that reads all of them even once reads more rows than the tests
 * allow.
 */
const BACKLOG = 6000;
/** The most rows that a change of a batch may read. */
const MOST = BACKLOG / 2;
const SCHEMA = "idle";

interface Plan {
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly Plans?: readonly Plan[];
}

/** How many rows the parts of a plan read, those included that a filter or a join has removed. */
function rowsRead(plan: Plan): number {
  const perLoop = Object.entries(plan)
    .filter(([name]) => name === "Actual Rows" || name.startsWith("Rows Removed by"))
    .reduce((sum, [, rows]) => sum + Number(rows), 0);
  return (plan.Plans ?? []).reduce(
    (sum, part) => sum + rowsRead(part),
    perLoop * plan["Actual Loops"],
  );
}

const database = new PGlite();
afterAll(() => database.close());

/**
 * An inbox with a backlog after an idle time, two entries for each order key; `reads` says how many
 * rows its statements read during some work.
 */
async function backlogAfterIdleTime() {
  let read = 0;
  let isMeasuring = false;
  /** Runs each statement twice: what is explained is rolled back. */
  const explained = (on: PostgresQueries): PostgresQueries => ({
    query: async (text, values) => {
      if (isMeasuring) {
        await on.query("SAVEPOINT explained");
        const { rows } = await on.query(
          `EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${text}`,
          values,
        );
        await on.query("ROLLBACK TO SAVEPOINT explained");
        for (const row of rows as { "QUERY PLAN": { Plan: Plan }[] }[])
          for (const { Plan } of row["QUERY PLAN"]) read += rowsRead(Plan);
      }
      return on.query(text, values);
    },
  });
  const transaction: PostgresDatabase["transaction"] = (run) =>
    database.transaction((transaction) => run(explained(transaction)));
  const inbox = postgresStore(
    { transaction, query: (text, values) => transaction((queries) => queries.query(text, values)) },
    { schema: SCHEMA },
  );
  await inbox.open();
  await inbox.close();
  // without upkeep, which would collect statistics after a while
  await inbox.open({ access: "change" });
  const fill = (from: number) =>
    database.exec(`
      CREATE TEMPORARY TABLE new AS
      SELECT seq, ${AT} - seq AS time, hashint8(seq % ${BACKLOG / 2}) AS hash, seq - ${from} > ${BACKLOG / 2} AS behind
      FROM generate_series(${from}::bigint + 1, ${from} + ${BACKLOG}) AS g(seq);
      INSERT INTO ${SCHEMA}.entry (seq, key_timestamp, event_id, source, kind, received_at, body_hash, body_length)
      SELECT seq, time, seq, 'service', 'payment.received', time, '', 0 FROM new;
      INSERT INTO ${SCHEMA}.delivery SELECT seq, time, 'POST', '/', '{}', decode(repeat('00', 400), 'hex') FROM new;
      INSERT INTO ${SCHEMA}.turn (seq, key_timestamp, received_at, dated, source, order_hash, behind, run_at, attempts, finished_handlers)
      SELECT seq, time, time, time, 'service', hash, behind, time, 0, '[]' FROM new;
      DROP TABLE new`);
  await fill(0);
  await database.exec(`DELETE FROM ${SCHEMA}.turn`);
  await database.exec(`VACUUM (TRUNCATE false) ${SCHEMA}.turn`);
  const { rows } = await database.query(
    "SELECT relpages > 1 AS keeps_pages, reltuples FROM pg_class WHERE oid = $1::regclass",
    [`${SCHEMA}.turn`],
  );
  expect(rows).toEqual([{ keeps_pages: true, reltuples: 0 }]);
  await fill(BACKLOG);
  const reads = async (work: () => Promise<unknown>) => {
    [read, isMeasuring] = [0, true];
    await work();
    isMeasuring = false;
    return read;
  };
  return { inbox, reads };
}

const { inbox, reads } = await backlogAfterIdleTime();
afterAll(() => inbox.close());

const claim = (parts = {}) =>
  inbox.claim({ now: AT, limit: BATCH, leaseTime: 60_000, runner: "one", ...parts });

type Work = (entries: readonly ClaimedEntry[]) => Promise<unknown>;

const settled =
  (parts: Parameters<typeof settlementOf>[1]): Work =>
  async (entries) => {
    const results = await Promise.all(
      entries.map((entry) => inbox.settle(settlementOf(entry, parts), AT + 1)),
    );
    expect(results).toEqual(entries.map(() => true));
  };

const record = { ...RUN, handler: "a", outcome: "error", error: "e" } as const;

const claimAll = () =>
  claim({ ahead: BATCH, deadBlocks: true, horizon: 1e9, exceptKinds: ["other"] });

it.each<[what: string, Work]>([
  ["claims", claimAll],
  ["renews leases of", (entries) => inbox.renew(entries, AT + 90_000)],
  ["completes", settled({ unordered: true })],
  ["completes, in their order keys' turn,", settled({})],
  ["fails", settled({ state: "failing", runAt: AT + 1e6, records: [record] })],
  ["gives up", settled({ state: "dead", reason: "x", records: [record] })],
  [
    "settles again, and asks what was settled before, for",
    async (entries) => {
      for (const state of ["waiting", "waiting"] as const)
        await settled({ state, runAt: AT + 1e6, unordered: true })(entries);
    },
  ],
  [
    "stores progress of",
    ([entry]) =>
      inbox.inside?.(
        async () => ({
          ...settlementOf(entry as ClaimedEntry),
          state: "running",
          finishedHandlers: ["a"],
          records: [record],
        }),
        { timeout: 10_000, now: () => AT, isLeased: () => true },
      ) ?? Promise.reject(),
  ],
])(
  "%s entries without reading the whole backlog when the planner believes that none waits",
  async (_, work) => {
    const entries = await claim();
    expect(entries).toHaveLength(BATCH);
    expect(await reads(() => work(entries))).toBeLessThan(MOST);
  },
);

it.each(["turn", "entry"])(
  "claims entries without reading the whole backlog once %s was analysed",
  async (table) => {
    await database.exec(`ANALYZE ${SCHEMA}.${table}`);
    expect(await reads(claimAll)).toBeLessThan(MOST);
  },
);

it("erases entries without reading the whole inbox", async () => {
  const seqs = Array.from({ length: BATCH }, (_, index) => 2 * BACKLOG - index * 100);
  let erased: readonly number[] = [];
  const erase = async () => (erased = await eraseEntries(inbox, seqs));
  expect(await reads(erase)).toBeLessThan(MOST);
  expect(erased.length).toBeGreaterThan(BATCH / 2); // others run
});
