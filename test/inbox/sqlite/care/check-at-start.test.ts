import { copyFileSync } from "node:fs";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { BUDGET, checkAtStart } from "../../../../src/inbox/sqlite/care/check-at-start.ts";
import { loadSqlite } from "../../../../src/inbox/sqlite/client.ts";
import { Statements } from "../../../../src/inbox/sqlite/statements.ts";
import { changeFile, overwrite } from "../changed-file.ts";
import { fileOf, textOf } from "./file-of.ts";

function open(path: string): Statements {
  const statements = new Statements(new (loadSqlite().DatabaseSync)(path, { readOnly: true }));
  onTestFinished(() => statements.close());
  return statements;
}

/** Time that passes only when a test says so, so that a check is never cut short. */
function stopClock(): void {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
}

const WAITING = { state: "waiting" };
const ORDERED = { state: "dead", order_key: "k" };

describe("the check of an inbox file at a start", () => {
  it("finds that all of an intact one can be read, also without an entry", () => {
    stopClock();
    expect(checkAtStart(open(fileOf(0)))).toBe(true);
    expect(checkAtStart(open(fileOf(3, () => WAITING)))).toBe(true);
  });

  it("finds that a delivery cannot be read: the oldest, the newest, or one that waits or holds back others", () => {
    stopClock();
    const columns: Record<number, object> = { 979: ORDERED, 1479: WAITING };
    const path = fileOf(2000, (seq) => ({ ...columns[seq] }));
    expect(checkAtStart(open(path))).toBe(true);
    for (const seq of [1, 979, 1479, 2000]) {
      copyFileSync(path, `${path}-${seq}`);
      overwrite(`${path}-${seq}`, { text: textOf(seq) });
      expect([seq, checkAtStart(open(`${path}-${seq}`))]).toEqual([seq, false]);
    }
  });

  it("looks at some of those that have ended, at even distances from the oldest on", () => {
    stopClock();
    const path = fileOf(1000);
    changeFile(path, "DELETE FROM entry WHERE seq <= 500; PRAGMA wal_checkpoint(TRUNCATE)");
    // a page has more deliveries than are between two that are looked at
    overwrite(path, { text: textOf(640) });
    expect(checkAtStart(open(path))).toBe(false);
  });

  it("finds that attempts cannot be read", () => {
    stopClock();
    const path = fileOf(3);
    overwrite(path, { table: "attempt_entry" });
    expect(checkAtStart(open(path))).toBe(false);
  });

  it.each(["entry", "entry_key", "entry_queue", "entry_order", "pruned", "runner"])(
    "does not let a receiver start if %s is damaged",
    (table) => {
      stopClock();
      const path = fileOf(3, (seq) => (seq === 2 ? { ...WAITING, order_key: "k" } : {}));
      overwrite(path, { table });
      expect(() => checkAtStart(open(path))).toThrow("malformed");
    },
  );

  it("ends when its time is over, however many entries there are", () => {
    stopClock();
    const path = fileOf(100, () => WAITING);
    overwrite(path, { table: "delivery" });
    const statements = open(path);
    const read: string[] = [];
    const get = statements.get.bind(statements);
    statements.get = (sql, ...values) => {
      vi.advanceTimersByTime(sql.startsWith("SELECT * FROM entry") ? BUDGET / 2 : 0);
      read.push(sql);
      return get(sql, ...values);
    };
    expect(checkAtStart(statements)).toBe(false);
    expect(read.filter((sql) => sql.startsWith("SELECT * FROM entry"))).toHaveLength(3);
  });
});
