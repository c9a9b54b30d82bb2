import { existsSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { vacuumFile } from "../../../../src/inbox/sqlite/care/vacuum.ts";
import { loadSqlite } from "../../../../src/inbox/sqlite/client.ts";
import { makeTables } from "../../../../src/inbox/sqlite/file/inbox-file.ts";
import { runnerLock } from "../../../../src/inbox/sqlite/processes/runner-lock.ts";
import { tempFolder } from "../../../cli/fake-io.ts";
import { AT } from "../../entries.ts";

let path: string;

/** An inbox file of which most is free space. */
beforeEach(() => {
  path = join(tempFolder(), "inbox.db");
  makeTables(path, AT);
  change(
    "CREATE TABLE filler (bytes BLOB); INSERT INTO filler VALUES (zeroblob(400000)); DROP TABLE filler",
  );
});

/** Changes the file, and keeps it open so that its log stays. */
function change(sql: string): void {
  const database = new (loadSqlite().DatabaseSync)(path);
  onTestFinished(() => database.close());
  database.exec(sql);
}

function hold(id: string, since = AT, version = "1.2.3"): void {
  const { release } = runnerLock(path, id);
  onTestFinished(release);
  change(`INSERT INTO runner VALUES ('${id}', ${since}, '${version}', 'both', '[]', '[]')`);
}

const refusal = (message: RegExp, code = "inbox_busy") =>
  expect.objectContaining({ code, message: expect.stringMatching(message) });

describe("a vacuumed inbox file", () => {
  it("is smaller by its free space and its log, and its real path and both sizes are told", () => {
    const link = join(path, "..", "link.db");
    const log = statSync(`${path}-wal`).size;
    symlinkSync(path, link);
    const before = statSync(path).size + log;
    const { after, ...told } = vacuumFile(link);
    expect(told).toEqual({ path, before });
    expect(after).toBe(statSync(path).size);
    expect(after).toBeLessThan(100_000);
    expect(log).toBeGreaterThan(400_000);
    expect(existsSync(`${path}-wal`) ? statSync(`${path}-wal`).size : 0).toBe(0);
  });

  it("is left as it is while a process uses it, which is named, with its version", () => {
    hold("0a0b0c0d0e0f");
    expect(() => vacuumFile(path)).toThrow(
      refusal(/\(hookporter 1\.2\.3, leases 0a0b0c0d…\): stop it first/),
    );
    hold("1a");
    hold("2a");
    expect(() => vacuumFile(path)).toThrow(
      refusal(/leases [0-9a-f]+…\) and 2 more: stop it first/),
    );
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(400_000);
  });

  it("is refused if an older version made its tables, or if it is missing or another program's", () => {
    change("UPDATE migration SET version = 0");
    expect(() => vacuumFile(path)).toThrow(refusal(/inbox\.db/, "inbox_older"));
    change("PRAGMA application_id = 1");
    expect(() => vacuumFile(path)).toThrow(refusal(/inbox\.db/, "inbox_corrupt"));
    expect(() => vacuumFile(`${path}.gone`)).toThrow(
      refusal(/inbox\.db\.gone/, "inbox_unavailable"),
    );
  });

  it("is refused with the error of an inbox if it is no database at all", () => {
    const notes = join(path, "..", "notes.txt");
    writeFileSync(notes, "notes ".repeat(1000));
    expect(() => vacuumFile(notes)).toThrow(refusal(/notes\.txt/, "inbox_corrupt"));
  });
});
