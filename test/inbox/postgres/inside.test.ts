import { expect, it, onTestFinished } from "vitest";
import type { PostgresOptions } from "../../../src/entries/index.ts";
import type { InsideEnd, InsideTerms } from "../../../src/inbox/inbox.ts";
import type { OwnTransactions } from "../../../src/inbox/postgres/handler-transactions.ts";
import type { PostgresDatabase, PostgresQueries } from "../../../src/inbox/postgres/session.ts";
import { postgresStore } from "../../../src/inbox/postgres.ts";
import { AT, claimOne, keep, sampleEntry, settlementOf } from "../entries.ts";
import { answering } from "./answering.ts";
import { pgliteInboxes } from "./pglite.ts";

const SCHEMA = "inside";
const { database, empty } = await pgliteInboxes(SCHEMA);

/** An inbox with one entry, which runs. */
async function running(options: PostgresOptions = {}, on: PostgresDatabase = database) {
  await empty();
  const inbox = postgresStore(on, { schema: SCHEMA, ...options });
  await inbox.open();
  onTestFinished(() => inbox.close());
  await keep(inbox, sampleEntry());
  const entry = await claimOne(inbox);
  const inside = (work: (tx: unknown) => Promise<InsideEnd>, terms: Partial<InsideTerms> = {}) =>
    inbox.inside?.(work, { timeout: 1000, now: () => AT, isLeased: () => true, ...terms });
  const done = settlementOf(entry, { finishedHandlers: ["a"] });
  const progress = { ...done, state: "running" } as const;
  const state = async () => (await inbox.list({}))[0]?.state;
  return { inbox, entry, inside, done, progress, state };
}

/** Transactions of a library of the user's, on the same database; `around` runs one. */
const library =
  (around: (run: () => Promise<unknown>) => Promise<unknown> = (run) => run()): OwnTransactions =>
  (run) =>
    around(() =>
      database.transaction((tx) =>
        run(tx as never, async (text, values) => (await tx.query(text, values)).rows),
      ),
    );

const ask = async (tx: unknown, sql: string) => (await (tx as PostgresQueries).query(sql)).rows[0];
const LIMITS =
  "SELECT current_setting('statement_timeout') AS a, current_setting('idle_in_transaction_session_timeout') AS b";

it("the server ends a handler's transaction a second after its time, if the client is gone", async () => {
  const { inside, done } = await running({ transaction: library() });
  const seen: unknown[] = [];
  const work = async (tx: unknown) => {
    seen.push(await ask(tx, LIMITS));
    return "roll_back" as const;
  };
  await inside(work);
  await database.exec(
    "SET statement_timeout = '700ms'; SET idle_in_transaction_session_timeout = '1min'",
  );
  onTestFinished(async () => void (await database.exec("RESET ALL")));
  await inside(work);
  expect(seen).toEqual([
    { a: "2s", b: "2s" },
    { a: "700ms", b: "2s" }, // a shorter limit of the role stays
  ]);
  await inside(async () => done);
  expect((await database.query(LIMITS)).rows).toEqual([{ a: "700ms", b: "1min" }]);
  // a database in this process has no client that may be gone
  await (await running()).inside(work);
  expect(seen.at(-1)).toEqual({ a: "700ms", b: "1min" });
});

it.each<[string, OwnTransactions | undefined]>([
  ["on the inbox's own connection", undefined],
  ["of a library", library()],
])(
  "a transaction %s is committed, refused without the lease, or rolled back",
  async (_, transaction) => {
    const { inside, done, state, progress, inbox, entry } = await running({ transaction });
    let used: unknown;
    const rolledBack = await inside(async (tx) => {
      used = tx;
      await ask(tx, `DELETE FROM ${SCHEMA}.turn`);
      return "roll_back";
    });
    expect(rolledBack).toBe("rolled_back");
    await expect((async () => ask(used, "SELECT 1"))()).rejects.toMatchObject({ code: "tx_ended" });
    expect(await inside(async () => "abandon")).toBe("rolled_back");
    expect(await state()).toBe("running");
    expect(await inside(async () => progress)).toBe("committed");
    expect(await inbox.list({})).toMatchObject([{ state: "running", finishedHandlers: ["a"] }]);
    for (const end of [done, progress])
      expect(await inside(async () => ({ ...end, lease: "x" }))).toBe("refused");
    expect(await state()).toBe("running");
    expect(await inside(async () => done)).toBe("committed");
    expect(await state()).toBe("handled");
    expect(await inside(async () => done)).toBe("refused");
    expect(await inbox.attempts(entry.seq)).toEqual([]);
  },
);

it("an error of a handler's statements is the inbox's, and names what to do", async () => {
  const { inside, done } = await running({ transaction: library() });
  await expect(inside(() => Promise.reject(new Error("canary")))).rejects.toMatchObject({
    code: "inbox_unavailable",
    message: expect.stringContaining("canary"),
  });
  const failed = inside(async (tx) => {
    await ask(tx, "SELECT 1 / 0").catch(() => {});
    return done;
  });
  await expect(failed).rejects.toMatchObject({
    code: "inbox_unavailable",
    message: expect.stringContaining("SAVEPOINT"),
  });
});

it.each<[string, OwnTransactions, RegExp]>([
  ["never runs it", async () => {}, /got a return before it/],
  [
    "commits although it failed",
    library((run) => run().catch(() => {})),
    /to reject if its function rejects/,
  ],
])("a library that %s is refused", async (_, transaction, message) => {
  const { inside } = await running({ transaction });
  const failed = inside(async () => "roll_back");
  await expect(failed).rejects.toThrow(TypeError);
  await expect(failed).rejects.toThrow(message);
});

it("a transaction that is given up on has ended for the inbox, however its library takes that", async () => {
  const { inside } = await running({ transaction: library((run) => run().catch(() => {})) });
  expect(await inside(async () => "abandon")).toBe("rolled_back");
});

it("the values of the inbox's statements are given to a library as texts", async () => {
  const given: unknown[] = [];
  const transaction: OwnTransactions = (run) =>
    database.transaction((tx) =>
      run(tx as never, async (text, values) => {
        given.push(...values);
        return { rows: (await tx.query(text, values)).rows };
      }),
    );
  const { inside, done, entry } = await running({ transaction });
  expect(await inside(async () => done)).toBe("committed");
  expect(given.every((value) => typeof value === "string")).toBe(true);
  expect(given).toContain(`{${entry.seq}}`);
});

const CUT = new Error("the connection was cut off");
/** The commit is cut off, after it or before it. */
const cutAfter = library((run) => run().then(() => Promise.reject(CUT)));
const cutBefore: OwnTransactions = (run) =>
  database.transaction(async (tx) => {
    await run(tx as never, async (text, values) => (await tx.query(text, values)).rows);
    throw CUT;
  });

it("a library that runs its transaction again after a conflict does not run the handler again", async () => {
  const transaction: OwnTransactions = (run) => cutBefore(run).catch(() => library()(run));
  const { inside, done, state } = await running({ transaction });
  let runs = 0;
  const ended = inside(async () => {
    runs++;
    return done;
  });
  await expect(ended).rejects.toThrow(/got a second call/);
  expect(runs).toBe(1);
  expect(await state()).toBe("running");
});

it.each(["done", "progress"] as const)(
  "a commit that was cut off is looked up (%s), and refused if another process has the lease since",
  async (name) => {
    const after = await running({ transaction: cutAfter });
    expect(await after.inside(async () => after[name])).toBe("committed");
    const before = await running({ transaction: cutBefore });
    await expect(before.inside(async () => before[name])).rejects.toBe(CUT);
    expect(await before.state()).toBe("running");
    const transaction: OwnTransactions = async (run) => {
      await cutBefore(run).catch(() => {});
      await database.exec(`UPDATE ${SCHEMA}.turn SET lease = 'another'`);
      throw CUT;
    };
    const { inside, ...ends } = await running({ transaction });
    expect(await inside(async () => ends[name])).toBe("refused");
  },
);

it("a result is looked up until the database answers, and no longer than the lease holds", async () => {
  let failures = 0;
  let looks = 0;
  const { on: lost } = answering(database, (text) => {
    if (text.includes("SELECT finished_handlers") && looks++ < failures)
      throw Object.assign(new Error("gone"), { code: "57P01" });
    return undefined;
  });
  failures = 2;
  const one = await running({ transaction: cutAfter }, lost);
  expect(await one.inside(async () => one.done)).toBe("committed");
  expect(looks).toBe(3);
  [looks, failures] = [0, 9];
  const two = await running({ transaction: cutAfter }, lost);
  expect(await two.inside(async () => two.done, { isLeased: () => looks < 2 })).toBe("unknown");
  expect(looks).toBe(2);
});
