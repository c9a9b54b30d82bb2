import { statSync, truncateSync } from "node:fs";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { stateOfFile } from "../../../../src/inbox/sqlite/file/file-state.ts";
import { makeTables } from "../../../../src/inbox/sqlite/file/inbox-file.ts";
import { runnerLock } from "../../../../src/inbox/sqlite/processes/runner-lock.ts";
import { AT, keep, numberedEntry } from "../../entries.ts";
import { connect } from "../changed-file.ts";
import { newPath, using } from "../opened.ts";

let path: string;

beforeEach(() => {
  path = newPath();
  makeTables(path, AT);
});

/** Changes the file, and keeps it open, so that the log stays. */
const change = (sql: string) => connect(path).exec(sql);

describe("the state of an inbox file", () => {
  it("has the numbers of its entries, its sizes, and the bytes that hold nothing", async () => {
    await using(path, (inbox) =>
      Promise.all([1, 2, 3].map((number) => keep(inbox, numberedEntry(number)))),
    );
    change(
      "UPDATE entry SET seq = 12 WHERE seq = 3; DELETE FROM entry WHERE seq = 1; DELETE FROM delivery",
    );
    change(
      "CREATE TABLE filler (bytes BLOB); INSERT INTO filler VALUES (zeroblob(40960)); DROP TABLE filler",
    );
    const { content, unreadable, ...sizes } = stateOfFile(path);
    expect(content).toMatchObject({ first: 2, last: 12, counts: { waiting: 2 } });
    expect(unreadable).toEqual([2, 12]);
    expect((content?.freeBytes ?? 0) % 4096).toBe(0);
    expect(content?.freeBytes).toBeGreaterThanOrEqual(10 * 4096);
    expect(content?.freeBytes).toBeLessThan(16 * 4096);
    expect(sizes).toMatchObject({
      bytes: statSync(path).size,
      logBytes: statSync(`${path}-wal`).size,
    });
    expect(sizes.logBytes).toBeGreaterThan(0);
  });

  it("names the process that uses it, with what it does as far as the file can be read", () => {
    const { release } = runnerLock(path, "0a");
    onTestFinished(release);
    change(`INSERT INTO runner VALUES ('0a', ${AT}, '1.2.3', 'receive', '[]', '[]')`);
    expect(stateOfFile(path).holders).toMatchObject([
      { id: "0a", version: "1.2.3", role: "receive" },
    ]);
    truncateSync(path, 50);
    const { content, usable, holders, problems } = stateOfFile(path);
    expect({ content, usable }).toEqual({ content: undefined, usable: false });
    expect(holders).toMatchObject([{ id: "0a", version: null, role: null }]);
    expect(problems).toHaveLength(1);
  });
});
