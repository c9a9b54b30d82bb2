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
  it("passes statements on, as texts or as objects", async () => {
    asked.length = 0;
    const { tx } = revocableTransaction(statements);
    expect(await tx.query("SELECT $1", [1])).toEqual({ rows: [{ n: 1 }], rowCount: 1 });
    await tx.query({ text: "SELECT 2", values: [2] });
    expect(asked).toEqual([
      ["SELECT $1", [1]],
      [{ text: "SELECT 2", values: [2] }, undefined],
    ]);
  });

  it("refuses everything once it is revoked", async () => {
    const { tx, revoke } = revocableTransaction(statements);
    revoke();
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
});

it.each([5, "text", null, undefined])(
  "%j, which has nothing to revoke, is given as it is",
  (given) => {
    const { proxy, revoke } = revocable(given);
    revoke();
    expect(proxy).toBe(given);
  },
);

describe("the number of transactions", () => {
  const pool = (max?: number) =>
    ({ options: { max }, query: undefined, connect: undefined }) as never;
  const database = { transaction: () => {}, query: undefined } as never;
  const transaction: PostgresOptions["transaction"] = async () => {};
  const limitOf = (connection: PostgresConnection, options: PostgresOptions) =>
    readPostgresOptions(connection, options).maxTransactions;

  it("leaves 3 connections to the inbox", () => {
    expect(limitOf("postgres://a/b", { connections: 5 })).toBe(2);
    expect(limitOf("postgres://a/b", { connections: 3 })).toBe(0);
    expect(limitOf("postgres://a/b", { connections: 2 })).toBe(0);
    expect(limitOf(pool(20), { connections: 5 })).toBe(17);
    expect(limitOf(pool(), { connections: 5 })).toBe(7);
  });

  it("is 1 on a database in the process, and 5 with another library", () => {
    expect(limitOf(database, { connections: 5 })).toBe(1);
    expect(limitOf(database, { maxTransactions: 4 })).toBe(1);
    expect(limitOf("postgres://a/b", { transaction })).toBe(5);
  });

  it("can be set lower, but not above what there is", () => {
    expect(limitOf(pool(20), { maxTransactions: 4 })).toBe(4);
    expect(limitOf(pool(5), { maxTransactions: 4 })).toBe(2);
    expect(limitOf("postgres://a/b", { transaction, maxTransactions: 30 })).toBe(30);
    for (const maxTransactions of [0, -1, 1.5, Number.NaN]) {
      expect(() => limitOf(pool(5), { maxTransactions })).toThrow(
        expect.objectContaining({ code: "option_invalid" }),
      );
    }
  });
});
