import { describe, expect, it } from "vitest";
import type { PostgresOptions } from "../../../src/entries/index.ts";
import {
  type PostgresConnection,
  readPostgresOptions,
} from "../../../src/inbox/postgres/postgres-options.ts";
import { revocable, revocableTransaction } from "../../../src/inbox/postgres/transaction.ts";

const asked: unknown[] = [];
const statements = {
  query: async (statement: unknown, values?: unknown[]) => {
    asked.push([statement, values]);
    return { rows: [{ n: 1 }], rowCount: 1 };
  },
};

describe("the transaction of a handler", () => {
  it("passes statements on, as texts or as objects, until it is revoked", async () => {
    asked.length = 0;
    const { tx, revoke } = revocableTransaction(statements);
    expect(await tx.query("SELECT $1", [1])).toEqual({ rows: [{ n: 1 }], rowCount: 1 });
    await tx.query({ text: "SELECT 2", values: [2] });
    revoke();
    await expect(tx.query("SELECT 1")).rejects.toMatchObject({ code: "tx_ended" });
    expect(asked).toEqual([
      ["SELECT $1", [1]],
      [{ text: "SELECT 2", values: [2] }, undefined],
    ]);
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
    const { tx } = revocableTransaction(statements);
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
    await expect(revocableTransaction(statements).tx.query(text)).resolves.toMatchObject({
      rowCount: 1,
    });
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
  // what has nothing to revoke is given as it is
  for (const given of [5, "text", null, undefined]) expect(revocable(given).proxy).toBe(given);
});

describe("the number of transactions", () => {
  const url = "postgres://a/b";
  const pool = (max?: number) =>
    ({ options: { max }, query: undefined, connect: undefined }) as never;
  const database = { transaction: () => {}, query: undefined } as never;
  const transaction: PostgresOptions["transaction"] = async () => {};

  it.each<[string, PostgresConnection, PostgresOptions, number]>([
    ["leaves 3 connections to the inbox", url, { connections: 5 }, 2],
    ["is 0 if that leaves none", url, { connections: 3 }, 0],
    ["is never below 0", url, { connections: 2 }, 0],
    ["is taken from a pool's size", pool(20), { connections: 5 }, 17],
    ["is taken from the default of pools", pool(), { connections: 5 }, 7],
    ["is 1 on a database in the process", database, { connections: 5 }, 1],
    ["is 1 there whatever is set", database, { maxTransactions: 4 }, 1],
    ["is 5 with another library", url, { transaction }, 5],
    ["can be set lower", pool(20), { maxTransactions: 4 }, 4],
    ["cannot be set above what there is", pool(5), { maxTransactions: 4 }, 2],
    ["can be set for another library", url, { transaction, maxTransactions: 30 }, 30],
  ])("%s", (_, connection, options, limit) => {
    expect(readPostgresOptions(connection, options).maxTransactions).toBe(limit);
  });

  it.each([0, -1, 1.5, Number.NaN])("is refused if it is %d", (maxTransactions) => {
    expect(() => readPostgresOptions(pool(5), { maxTransactions })).toThrow(
      expect.objectContaining({ code: "option_invalid" }),
    );
  });
});
