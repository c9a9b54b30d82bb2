import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { loadSqlite } from "../../../src/inbox/sqlite/client.ts";
import { Statements } from "../../../src/inbox/sqlite/statements.ts";
import { tempFolder } from "../../cli/fake-io.ts";

let path: string;
let statements: Statements;

beforeEach(() => {
  path = join(tempFolder(), "it's a file.db");
  statements = new Statements(new (loadSqlite().DatabaseSync)(path));
  onTestFinished(() => statements.close());
  statements.exec("CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT)");
});

const texts = () => statements.all("SELECT text FROM note ORDER BY id").map(({ text }) => text);

describe("a transaction", () => {
  it("keeps nothing if its work fails", () => {
    const fails = () =>
      statements.transaction(() => {
        statements.insertRow("note", { id: 7, text: "one" });
        throw new Error("the reason");
      });
    expect(fails).toThrow("the reason");
    expect([texts(), statements.inTransaction]).toEqual([[], false]);
  });

  it("that SQLite itself has ended fails with the error of its work", () => {
    const fails = () =>
      statements.transaction(() => {
        statements.exec("ROLLBACK"); // as after a full disk
        throw new Error("the reason");
      });
    expect(fails).toThrow("the reason");
  });

  it("knows nothing of dates that an earlier one read", () => {
    statements.prunedUntil.set("service", 1);
    statements.transaction(() => {});
    expect(statements.prunedUntil.size).toBe(0);
  });
});

it("rows before a failure are read one by one", () => {
  statements.exec("INSERT INTO note (text) VALUES ('{}'), ('no JSON')");
  const read: unknown[] = [];
  expect(() => {
    for (const row of statements.iterate("SELECT json(text) AS json FROM note"))
      read.push(row.json);
  }).toThrow(/JSON/);
  expect(read).toEqual(["{}"]);
});
