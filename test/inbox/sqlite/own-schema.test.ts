import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { backUp } from "../../../src/inbox/sqlite/care/backup.ts";
import { checkFile } from "../../../src/inbox/sqlite/care/check-file.ts";
import { eraseInCopy, otherInboxesBeside } from "../../../src/inbox/sqlite/care/copies.ts";
import { examineFile, findLock } from "../../../src/inbox/sqlite/care/examine.ts";
import { vacuumFile } from "../../../src/inbox/sqlite/care/vacuum.ts";
import { connectTo } from "../../../src/inbox/sqlite/client.ts";
import { stateOfFile } from "../../../src/inbox/sqlite/file/file-state.ts";
import { openFileTransfer } from "../../../src/inbox/sqlite/transfer.ts";
import { sqliteInbox } from "../../../src/inbox/sqlite.ts";
import { tempFolder } from "../../cli/fake-io.ts";
import { keep, numberedEntry } from "../entries.ts";
import { changeFile, connect } from "./changed-file.ts";
import { HARMLESS, HOSTILE, makeHostile } from "./hostile-files.ts";

/** An inbox file with an entry, changed by another program. */
async function changed(sql: string): Promise<string> {
  const path = join(tempFolder(), "inbox.db");
  const inbox = sqliteInbox(path);
  await inbox.open();
  await keep(inbox, numberedEntry(1));
  await inbox.close();
  makeHostile(path, sql);
  return path;
}

const thrownBy = async (work: () => unknown) =>
  Promise.resolve()
    .then(work)
    .then(
      () => ({ code: "nothing", message: "" }),
      (thrown) => thrown as { code: string; message: string },
    );

/** All ways in which a file is opened. */
const OPENERS: Readonly<Record<string, (path: string) => unknown>> = {
  "its owner": (path) => sqliteInbox(path).open(),
  "a command that changes it": (path) => sqliteInbox(path).open({ access: "change" }),
  "a command that reads it": (path) => sqliteInbox(path).open({ access: "read" }),
  "a copy of it": (path) => openFileTransfer(path, "read"),
  "a backup": (path) => backUp(path, `${path}.backup`),
  "a vacuum": (path) => vacuumFile(path),
  "an erasure in a copy": (path) => eraseInCopy(path, [1], 0),
  "a look for who locks it": (path) => {
    connect(path).exec("SELECT 1"); // with its log
    return findLock(path);
  },
};

describe("a file whose schema could run something", () => {
  it.each(Object.entries(HOSTILE))("is refused, and %s is named", async (_, [sql, named]) => {
    const path = await changed(sql);
    const message = expect.stringContaining(named);
    expect(await thrownBy(() => sqliteInbox(path).open())).toMatchObject({
      code: "inbox_corrupt",
      message,
    });
    expect(checkFile(path)).toMatchObject({ problems: [message], usable: false });
    expect(stateOfFile(path).content).toBeUndefined();
    expect((await examineFile(path, 0, 1000)).error).toMatchObject({ message });
  });

  it.each(Object.entries(OPENERS))("is refused for %s", async (_, open) => {
    const path = await changed(HOSTILE["an endless trigger on updates"]?.[0] ?? "");
    expect(await thrownBy(() => open(path))).toMatchObject({
      code: expect.stringMatching(/^inbox_corrupt$|^nothing$/),
    });
  });

  it("is refused whatever version it says that it is of", async () => {
    const path = await changed(
      `INSERT INTO migration VALUES (99, 0); CREATE TRIGGER evil AFTER INSERT ON entry BEGIN SELECT 1; END`,
    );
    expect(await thrownBy(() => sqliteInbox(path).open())).toMatchObject({ code: "inbox_corrupt" });
    changeFile(path, "DROP TRIGGER evil");
    expect(await thrownBy(() => sqliteInbox(path).open())).toMatchObject({ code: "inbox_newer" });
  });
});

describe("a file in which another program has made what holds rows only", () => {
  it.each(Object.entries(HARMLESS))("is opened with %s", async (_, sql) => {
    const path = await changed(sql);
    const inbox = sqliteInbox(path);
    await inbox.open();
    expect(await inbox.list({})).toHaveLength(1);
    await inbox.close();
    expect(checkFile(path).problems).toEqual([]);
  });

  it("is opened after it was copied by SQLite", async () => {
    const path = await changed("");
    changeFile(path, `VACUUM INTO '${path}.copy'`);
    copyFileSync(path, `${path}.other`);
    const inbox = sqliteInbox(`${path}.copy`);
    await inbox.open({ access: "read" });
    expect(await inbox.list({})).toHaveLength(1);
    await inbox.close();
    expect(otherInboxesBeside(path)).toEqual([`${path}.copy`, `${path}.other`]);
  });
});

it("every connection to a file trusts none of it", () => {
  const database = connectTo(join(tempFolder(), "any.db"));
  const of = (name: string) => Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {});
  expect(["trusted_schema", "cell_size_check", "foreign_keys"].map(of)).toEqual([[0], [1], [0]]);
  // where the client has the mode, nothing can change the list of tables
  database.exec("PRAGMA writable_schema = ON");
  const isDefensive = "enableDefensive" in database;
  expect(of("writable_schema")).toEqual([isDefensive ? 0 : 1]);
  database.close();
});
