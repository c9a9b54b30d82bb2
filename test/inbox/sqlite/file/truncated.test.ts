import { statSync, truncateSync, writeFileSync } from "node:fs";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { loadSqlite } from "../../../../src/inbox/sqlite/client.ts";
import { makeTables } from "../../../../src/inbox/sqlite/file/inbox-file.ts";
import { Presence } from "../../../../src/inbox/sqlite/file/presence.ts";
import { throwIfTruncated } from "../../../../src/inbox/sqlite/file/truncated.ts";
import { Statements } from "../../../../src/inbox/sqlite/statements.ts";
import { AT } from "../../entries.ts";
import { newPath } from "../opened.ts";

let path: string;
let log: string;
let statements: Statements;
let presence: Presence;

/** An open inbox file with a commit in its log. */
beforeEach(() => {
  path = newPath();
  log = `${path}-wal`;
  makeTables(path, AT);
  statements = open();
  statements.run("INSERT OR REPLACE INTO pruned VALUES ('service', 1)");
  presence = new Presence(path);
});

function open(): Statements {
  const opened = new Statements(new (loadSqlite().DatabaseSync)(path));
  onTestFinished(() => opened.close());
  return opened;
}

/** Looks at the files, as an inbox does before it commits. */
function look(): void {
  presence.check();
  throwIfTruncated(presence, statements);
}

const corrupt = (file: string, from: number, to: number) =>
  expect.objectContaining({
    code: "inbox_corrupt",
    message: expect.stringContaining(
      `expected ${file} to keep its ${from} bytes, but another program cut it to ${to}:`,
    ),
  });

describe("a file of an open inbox that has become smaller", () => {
  it("is a loss if it is the database, cut to nothing, but is found elsewhere if a part is left", () => {
    statements.get("PRAGMA wal_checkpoint(TRUNCATE)");
    look();
    const from = statSync(path).size;
    truncateSync(path, 4096);
    look();
    expect(presence.shrunk).toBeUndefined();
    truncateSync(path, 0);
    expect(look).toThrow(corrupt(path, 4096, 0));
    writeFileSync(path, Buffer.alloc(from));
  });

  it("is looked at again later, if a program that reads keeps SQLite from saying what was in the log", () => {
    const reader = open();
    reader.exec("BEGIN");
    reader.get("SELECT dated_until FROM pruned");
    statements.get("PRAGMA wal_checkpoint(PASSIVE)"); // all of the log is in the database
    statements.waitForLocks(10);
    truncateSync(log, 0);
    const busy = expect.objectContaining({
      code: "inbox_busy",
      message: expect.stringContaining(log),
    });
    expect(look).toThrow(busy);
    expect(presence.shrunk).toMatchObject({ to: 0 });
    reader.exec("COMMIT");
    look();
    expect(presence.shrunk).toBeUndefined();
  });
});
