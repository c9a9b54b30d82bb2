import { describe, expect, it } from "vitest";
import { RevocableTransaction, revocable } from "../../../src/inbox/postgres/transaction.ts";
import { transactionLimit } from "../../../src/inbox/postgres/transaction-limit.ts";

const asked: unknown[] = [];
const statements = {
  query: async (statement: unknown, values?: unknown[]) => {
    asked.push([statement, values]);
    return { rows: [{ n: 1 }], rowCount: 1 };
  },
};

describe("the transaction of a handler", () => {
  it("passes statements on, as texts or as objects", async () => {
    asked.length = 0;
    const tx = new RevocableTransaction(statements);
    expect(await tx.query("SELECT $1", [1])).toEqual({ rows: [{ n: 1 }], rowCount: 1 });
    await tx.query({ text: "SELECT 2", values: [2] });
    expect(asked).toEqual([
      ["SELECT $1", [1]],
      [{ text: "SELECT 2", values: [2] }, undefined],
    ]);
  });

  it("refuses everything once it is revoked", async () => {
    const tx = new RevocableTransaction(statements);
    tx.revoke();
    await expect(tx.query("SELECT 1")).rejects.toMatchObject({ code: "tx_ended" });
  });

  it.each([
    "BEGIN",
    "  commit;",
    "-- a note\nCOMMIT",
    "/* a note */ rollback",
    "ROLLBACK AND CHAIN",
    "start  transaction read only",
    "END",
    "abort",
    "PREPARE TRANSACTION 'a'",
  ])("refuses %j, which begins or ends a transaction", async (text) => {
    const tx = new RevocableTransaction(statements);
    await expect(tx.query(text)).rejects.toThrow(TypeError);
    await expect(tx.query({ text })).rejects.toThrow("SAVEPOINT");
  });

  it.each([
    "SAVEPOINT a",
    "ROLLBACK TO a",
    "rollback to savepoint a",
    "ROLLBACK WORK TO a",
    "RELEASE a",
    "PREPARE one AS SELECT 1",
    "SELECT 'commit'",
    "endless",
  ])("lets %j pass", async (text) => {
    await expect(new RevocableTransaction(statements).query(text)).resolves.toMatchObject({ rowCount: 1 });
  });
});

it("an object of another library works as before until it is revoked, also if it has private fields", () => {
  class Library {
    readonly #answer = 42;
    nested = { deep: true };
    answer() {
      return this.#answer;
    }
  }
  const { proxy, revoke } = revocable(new Library());
  const library = proxy as Library;
  expect(library.answer()).toBe(42);
  expect(library.nested.deep).toBe(true);
  revoke();
  expect(() => library.answer()).toThrow(expect.objectContaining({ code: "tx_ended" }));
});

describe("the number of transactions", () => {
  const pool = (max?: number) => ({ options: { max }, query: undefined, connect: undefined }) as never;
  const database = { transaction: () => {}, query: undefined } as never;

  it("leaves 3 connections to the inbox", () => {
    expect(transactionLimit("postgres://a/b", {}, 5)).toBe(2);
    expect(transactionLimit("postgres://a/b", {}, 3)).toBe(0);
    expect(transactionLimit("postgres://a/b", {}, 2)).toBe(0);
    expect(transactionLimit(pool(20), {}, 5)).toBe(17);
    expect(transactionLimit(pool(), {}, 5)).toBe(7);
  });

  it("is 1 on a database in the process, and 5 with another library", () => {
    expect(transactionLimit(database, {}, 5)).toBe(1);
    expect(transactionLimit("postgres://a/b", { transaction: () => {} }, 5)).toBe(5);
  });

  it("can be set lower, but not above what there is", () => {
    expect(transactionLimit(pool(20), { maxTransactions: 4 }, 5)).toBe(4);
    expect(transactionLimit(pool(5), { maxTransactions: 4 }, 5)).toBe(2);
    expect(transactionLimit("postgres://a/b", { transaction: () => {}, maxTransactions: 30 }, 5)).toBe(30);
    for (const maxTransactions of [0, -1, 1.5, Number.NaN]) {
      expect(() => transactionLimit(pool(5), { maxTransactions }, 5)).toThrow(
        expect.objectContaining({ code: "option_invalid" }),
      );
    }
  });
});
