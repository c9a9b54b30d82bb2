import { expect, it } from "vitest";
import type { PostgresSession } from "../../../src/inbox/postgres/session.ts";
import { Store } from "../../../src/inbox/postgres/store.ts";

/**
 * A store whose session rejects with these errors, one after another, and answers with rows after
 * that.
 */
function failing(codes: readonly string[], rows: readonly object[] = []) {
  const left = [...codes];
  const asked: unknown[][] = [];
  let closed = 0;
  const attempt = () => {
    const code = left.shift();
    if (code !== undefined) throw Object.assign(new Error(code), { code });
  };
  const session: PostgresSession = {
    query: async (...given) => {
      asked.push(given);
      attempt();
      return rows as never;
    },
    transaction: async (run, timeout) => {
      asked.push(["transaction", timeout]);
      attempt();
      return run(
        async (...given) => {
          asked.push(given);
          return rows as never;
        },
        { query: async () => {} },
      );
    },
    close: async () => void closed++,
  };
  return {
    store: new Store(session, { schema: "a_b", name: "the inbox" }),
    asked,
    closedTimes: () => closed,
  };
}

it("statements name the schema, and have a time limit", async () => {
  const { store, asked } = failing([]);
  await store.query("SELECT FROM @.a, @.b WHERE c = $1", [1]);
  await store.query("SELECT FROM @.a", [], 9);
  await store.transaction((query) => query("SELECT FROM @.c", [2]));
  await store.transaction(async (query) => void (await query("SELECT 1")), 8);
  expect(asked).toEqual([
    ['SELECT FROM "a_b".a, "a_b".b WHERE c = $1', [1], 5000],
    ['SELECT FROM "a_b".a', [], 9],
    ["transaction", 5000],
    ['SELECT FROM "a_b".c', [2]],
    ["transaction", 8],
    ["SELECT 1", undefined],
  ]);
});

it("any number of different statements can be run", async () => {
  const { store } = failing([]);
  for (let number = 0; number < 300; number++)
    for (let times = 0; times < 2; times++)
      expect(store.sql(`SELECT ${number} FROM @.a`)).toBe(`SELECT ${number} FROM "a_b".a`);
});

it.each(["40001", "40P01"])(
  "what another transaction made impossible (%s) is run again, four times",
  async (code) => {
    const few = failing([code, code, code], [{ n: 1 }]);
    expect(await few.store.query("SELECT 1")).toEqual([{ n: 1 }]);
    expect(few.asked).toHaveLength(4);
    const many = failing([code, code, code, code]);
    await expect(many.store.transaction(async () => 1)).rejects.toMatchObject({
      code: "inbox_busy",
      message: expect.stringContaining("expected the inbox the inbox to work"),
    });
    expect(many.asked).toHaveLength(4);
  },
);

it("what fails otherwise is not run again", async () => {
  const { store, asked } = failing(["42501"]);
  await expect(store.query("SELECT 1")).rejects.toMatchObject({ code: "inbox_unavailable" });
  expect(asked).toHaveLength(1);
});

it("a number is that of the first column, and 0 if there is none", async () => {
  expect(await failing([], [{ a: "12", b: "13" }]).store.number("SELECT 1")).toBe(12);
  expect(await failing([], [{ a: null }]).store.number("SELECT 1")).toBe(0);
  expect(await failing([], []).store.number("SELECT 1")).toBe(0);
  const { store, asked } = failing([]);
  await store.number("SELECT $1", [1]);
  await store.number("SELECT $1", [1], 7);
  expect(asked).toEqual([
    ["SELECT $1", [1], 5000],
    ["SELECT $1", [1], 7],
  ]);
});

it("closing it closes its session", async () => {
  const { store, closedTimes } = failing([]);
  await store.close();
  expect(closedTimes()).toBe(1);
});
