import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { loadSqlite } from "../../../../src/inbox/sqlite/client.ts";
import { makeTables, openFile } from "../../../../src/inbox/sqlite/file/inbox-file.ts";
import { SCHEMA_VERSION, schemaOf } from "../../../../src/inbox/sqlite/migrations.ts";
import { tempFolder } from "../../../cli/fake-io.ts";
import { AT } from "../../entries.ts";

let folder: string;
let path: string;

beforeEach(() => {
  folder = tempFolder();
  path = join(folder, "inbox.db");
});

describe("the tables of a new inbox", () => {
  it("are in a file that has a log from the first write, and gives free pages back", () => {
    makeTables(path, AT);
    const header = readFileSync(path).subarray(0, 100);
    // versions to write and read it: 2 is one with a log
    expect([header[18], header[19]]).toEqual([2, 2]);
    // incremental auto-vacuum
    expect([header.readUInt32BE(52) > 0, header.readUInt32BE(64)]).toEqual([true, 1]);
    expect(header.toString("latin1", 68, 72)).toBe("hkpt");
  });

  it("are of this version, whatever they are opened for", () => {
    makeTables(path, AT);
    for (const access of ["own", "change", "read"] as const) {
      const { database, ...opened } = openFile(path, access);
      expect(opened).toEqual({ path, isNew: false });
      expect(schemaOf(database, path)).toBe(SCHEMA_VERSION);
      database.close();
    }
  });

  it("can be changed only by those who open them for that", () => {
    makeTables(path, AT);
    const change = "INSERT OR REPLACE INTO pruned VALUES ('service', 5)";
    const read = openFile(path, "read").database;
    expect(() => read.exec(change)).toThrow(/readonly/);
    read.close();
    const { database } = openFile(path, "change");
    database.exec(change);
    database.close();
    rmSync(`${path}-shm`, { force: true });
    const again = new (loadSqlite().DatabaseSync)(path);
    expect(again.prepare("SELECT dated_until FROM pruned").get()).toEqual({ dated_until: 5 });
    again.close();
  });
});
