import { existsSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { KEPT_LOG, loadSqlite } from "../../../../src/inbox/sqlite/client.ts";
import { makeTables } from "../../../../src/inbox/sqlite/file/inbox-file.ts";
import {
  checkpointLog,
  DEFAULT_WAL_LIMIT,
  logSizeWatch,
} from "../../../../src/inbox/sqlite/file/log-size.ts";
import { Statements } from "../../../../src/inbox/sqlite/statements.ts";
import { keptLog } from "../../../receiver/sample.ts";
import { AT } from "../../entries.ts";
import { newPath } from "../opened.ts";

let path: string;

beforeEach(() => {
  path = newPath();
});

/** A watch of a log whose size a test sets, and what it did. */
function watched(terms: { walLimit?: number } = {}) {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const { log, lines } = keptLog();
  const look = logSizeWatch(path, { ...terms, log });
  const cut = vi.fn();
  /**
   * Looks at a log of this size, `later` milliseconds after the last look; returns how often it
   * asked to move it.
   */
  const lookAt = (bytes: number, later = 10_000) => {
    if (!existsSync(`${path}-wal`)) writeFileSync(`${path}-wal`, "");
    truncateSync(`${path}-wal`, bytes);
    vi.advanceTimersByTime(later);
    cut.mockClear();
    look(cut);
    return cut.mock.calls.length;
  };
  return { look, lookAt, cut, lines };
}

describe("the watch of a log's size", () => {
  it("has a log moved into the database that is twice as large as SQLite leaves it, and says nothing", () => {
    const { look, lookAt, cut, lines } = watched();
    look(cut); // there is no log yet
    expect(cut).not.toHaveBeenCalled();
    expect(lookAt(2 * KEPT_LOG)).toBe(0);
    expect(lookAt(2 * KEPT_LOG + 1)).toBe(1);
    expect(lookAt(0)).toBe(0);
    expect(lines).toEqual([]);
  });

  it("warns once of a log above the limit, and again if it grows again after it had shrunk", () => {
    const { lookAt, lines } = watched({ walLimit: 1000 });
    expect([lookAt(1001), lines.length]).toEqual([1, 1]);
    expect([lookAt(5000), lines.length]).toEqual([1, 1]);
    expect([lookAt(1000), lines.length]).toEqual([0, 1]);
    expect([lookAt(2000), lines.length]).toEqual([1, 2]);
    const fields = { log: `${path}-wal`, bytes: 2000, limit: 1000 };
    expect(lines.at(-1)).toMatchObject({
      level: "warn",
      fields,
      message: expect.stringMatching(/read transaction.*end that program/),
    });
  });

  it("warns above 256 MiB if no limit is given, and forgets that once the log is gone", () => {
    const { look, lookAt, cut, lines } = watched();
    expect([lookAt(DEFAULT_WAL_LIMIT), lines.length]).toEqual([1, 0]);
    expect([lookAt(DEFAULT_WAL_LIMIT + 1), lines.length]).toEqual([1, 1]);
    rmSync(`${path}-wal`);
    vi.advanceTimersByTime(10_000);
    look(cut);
    expect([lookAt(DEFAULT_WAL_LIMIT + 1), lines.length]).toEqual([1, 2]);
  });
});

describe("a log", () => {
  const open = (readOnly = false) => {
    const statements = new Statements(new (loadSqlite().DatabaseSync)(path, { readOnly }));
    onTestFinished(() => statements.close());
    return statements;
  };
  const logBytes = () => statSync(`${path}-wal`).size;
  let statements: Statements;

  beforeEach(() => {
    makeTables(path, AT);
    statements = open();
    statements.run("INSERT OR REPLACE INTO pruned VALUES ('service', 1)");
  });

  it("is emptied if nobody uses it", () => {
    expect(logBytes()).toBeGreaterThan(0);
    expect(checkpointLog(statements)).toBe(true);
    expect(logBytes()).toBe(0);
  });

  it("stays for a program that reads in it, and is emptied once that has ended", () => {
    const reader = open(true);
    reader.exec("BEGIN");
    expect(reader.get("SELECT dated_until FROM pruned")).toEqual({ dated_until: 1 });
    statements.run("INSERT OR REPLACE INTO pruned VALUES ('service', 2)");
    expect(checkpointLog(statements)).toBe(false);
    expect(logBytes()).toBeGreaterThan(0);
    expect(reader.get("SELECT dated_until FROM pruned")).toEqual({ dated_until: 1 });
    reader.exec("COMMIT");
    expect(checkpointLog(statements)).toBe(true);
  });

  it("is not emptied within a transaction, which goes on", () => {
    statements.begin();
    statements.run("INSERT OR REPLACE INTO pruned VALUES ('service', 3)");
    expect(checkpointLog(statements)).toBe(false);
    statements.run("COMMIT");
    expect(open(true).get("SELECT dated_until FROM pruned")).toEqual({ dated_until: 3 });
  });

  it("is waited for as long as is asked, and statements wait for locks as before afterwards", () => {
    const timeout = () => statements.get("PRAGMA busy_timeout")?.timeout;
    const waits: unknown[] = [];
    const { exec } = statements;
    statements.exec = (sql) => {
      waits.push(timeout());
      exec.call(statements, sql);
    };
    statements.waitForLocks(1234);
    for (const wait of [undefined, 77]) {
      waits.length = 0;
      checkpointLog(statements, wait);
      expect(waits).toContain(wait ?? 0);
      expect([timeout(), statements.lockWait]).toEqual([1234, 1234]);
    }
  });
});
