import { describe, expect, it, onTestFinished } from "vitest";
import type { ClaimRequest } from "../../../../src/inbox/claim.ts";
import { canRead, explainsFailure } from "../../../../src/inbox/sqlite/care/damaged-deliveries.ts";
import { loadSqlite } from "../../../../src/inbox/sqlite/client.ts";
import { Statements } from "../../../../src/inbox/sqlite/statements.ts";
import { AT } from "../../entries.ts";
import { overwrite } from "../changed-file.ts";
import { fileOf } from "./file-of.ts";

type Row = ReturnType<NonNullable<Parameters<typeof fileOf>[1]>>;

/**
 * An inbox file with entries, numbered from 1, none of whose deliveries can be read, unless it is
 * intact.
 */
function damaged(rows: readonly Row[], isIntact = false): Statements {
  const path = fileOf(rows.length, (seq) => ({ state: "waiting", ...rows[seq - 1] }));
  if (!isIntact) overwrite(path, { table: "delivery" });
  const statements = new Statements(new (loadSqlite().DatabaseSync)(path, { readOnly: true }));
  onTestFinished(() => statements.close());
  return statements;
}

/**
 * What is known to be damaged after a claim has failed, in order; `undefined` if that does not
 * explain it.
 */
function found(
  statements: Statements,
  request: Partial<ClaimRequest> = {},
  known: readonly number[] = [],
) {
  const after = new Set(known);
  const isExplained = explainsFailure(
    statements,
    { now: AT, limit: 10, leaseTime: 1, ...request },
    after,
  );
  if (!isExplained) expect([...after]).toEqual(known);
  return isExplained ? [...after] : undefined;
}

const times = (count: number): readonly Row[] => Array.from({ length: count }, () => ({}));

describe("the deliveries that make a claim fail", () => {
  it("are those of due entries, beside the ones that are known", () => {
    const later = { run_at: AT + 1 };
    const statements = damaged([
      {},
      later,
      { held_back: 1 },
      { state: "handled" },
      { run_at: AT - 5, state: "running" },
    ]);
    expect(found(statements)).toEqual([5, 1]);
    expect(found(statements, {}, [5])).toEqual([5, 1]);
    expect(found(statements, { now: AT + 1 }, [1])).toEqual([1, 5, 2]);
  });

  it("are none that are known already, nor any of an intact file", () => {
    expect(found(damaged([{}, {}]), {}, [1, 2])).toBeUndefined();
    expect(found(damaged([{}, {}], true))).toBeUndefined();
    expect(found(damaged([]))).toBeUndefined();
  });

  it("are that of the only entry that was to be claimed, due or not", () => {
    const statements = damaged([{}, { run_at: AT + 1 }, {}]);
    expect(found(statements, { only: 2 })).toEqual([2]);
    expect(found(statements, { only: 2 }, [2])).toBeUndefined();
  });

  it("are those of later entries that wait for a target, due or not", () => {
    const waits = { waits: "[]", run_at: AT + 1000 };
    const statements = damaged([waits, waits, {}, { ...waits, state: "dead" }, waits]);
    expect(found(statements, { waitingFor: { target: "t", after: 1 } })).toEqual([2, 5]);
  });

  it("are those of the sources that the claim serves", () => {
    const statements = damaged([{ source: "a" }, { source: "b" }, { source: "c" }]);
    expect(found(statements, { sources: ["c", "a"] })).toEqual([3, 1]);
    expect(found(statements)).toEqual([1, 2, 3]);
  });

  it("do not explain it if there are more than a hundred, as then more than single entries is damaged", () => {
    const statements = damaged(times(101));
    expect(found(statements)).toBeUndefined();
    expect(found(statements, {}, [1])).toBeUndefined();
    expect(found(damaged(times(100)))).toHaveLength(100);
  });
});

it("a failure that is no damage is not taken for an unreadable delivery", () => {
  const statements = damaged([{}]);
  const read = "SELECT body FROM delivery WHERE seq = ?";
  expect(canRead(statements, read, 1)).toBe(false);
  expect(canRead(statements, "SELECT seq FROM entry WHERE seq = ?", 1)).toBe(true);
  expect(() => canRead(statements, "SELECT body FROM no_table WHERE seq = ?", 1)).toThrow(
    "no such table",
  );
});
