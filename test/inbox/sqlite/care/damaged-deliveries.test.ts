import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { ClaimRequest } from "../../../../src/inbox/claim.ts";
import { canRead, explainsFailure } from "../../../../src/inbox/sqlite/care/damaged-deliveries.ts";
import { loadSqlite } from "../../../../src/inbox/sqlite/client.ts";
import { makeTables } from "../../../../src/inbox/sqlite/file/inbox-file.ts";
import { Statements } from "../../../../src/inbox/sqlite/statements.ts";
import { tempFolder } from "../../../cli/fake-io.ts";
import { AT } from "../../entries.ts";

interface Row {
  readonly source?: string;
  readonly state?: string;
  readonly runAt?: number;
  readonly heldBack?: number;
  readonly waits?: string;
}

/**
 * An inbox file with entries, numbered from 1, none of whose deliveries can be read, unless it is
 * intact.
 */
function fileOf(rows: readonly Row[], isIntact = false): Statements {
  const path = join(tempFolder(), "inbox.db");
  makeTables(path, AT);
  const statements = new Statements(new (loadSqlite().DatabaseSync)(path));
  statements.transaction(() => {
    for (const [
      index,
      { source = "s", state = "waiting", runAt = AT, heldBack = 0, waits },
    ] of rows.entries()) {
      const times = {
        received_at: AT,
        run_at: runAt,
        last_seen_at: AT,
        held_back: heldBack,
        waits: waits ?? null,
      };
      const key = { seq: index + 1, key_timestamp: AT, event_id: `evt_${index + 1}`, source };
      statements.insertRow("entry", { ...key, state, ...times, body_hash: "", body_length: 0 });
      const delivery = { method: "POST", target: "/", headers: "{}", body: Buffer.alloc(10) };
      statements.insertRow("delivery", { seq: index + 1, ...delivery });
    }
  });
  const root = statements.get("SELECT rootpage AS page FROM sqlite_schema WHERE name = 'delivery'")
    ?.page as number;
  statements.get("PRAGMA wal_checkpoint(TRUNCATE)");
  statements.close();
  const bytes = readFileSync(path);
  if (!isIntact) writeFileSync(path, bytes.fill(0x5a, (root - 1) * 4096, root * 4096));
  const damaged = new Statements(new (loadSqlite().DatabaseSync)(path, { readOnly: true }));
  onTestFinished(() => damaged.close());
  return damaged;
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
    const later = { runAt: AT + 1 };
    const statements = fileOf([
      {},
      later,
      { heldBack: 1 },
      { state: "handled" },
      { runAt: AT - 5, state: "running" },
    ]);
    expect(found(statements)).toEqual([5, 1]);
    expect(found(statements, {}, [5])).toEqual([5, 1]);
    expect(found(statements, { now: AT + 1 }, [1])).toEqual([1, 5, 2]);
  });

  it("are none that are known already, nor any of an intact file", () => {
    expect(found(fileOf([{}, {}]), {}, [1, 2])).toBeUndefined();
    expect(found(fileOf([{}, {}], true))).toBeUndefined();
    expect(found(fileOf([]))).toBeUndefined();
  });

  it("are that of the only entry that was to be claimed, due or not", () => {
    const statements = fileOf([{}, { runAt: AT + 1 }, {}]);
    expect(found(statements, { only: 2 })).toEqual([2]);
    expect(found(statements, { only: 2 }, [2])).toBeUndefined();
  });

  it("are those of later entries that wait for a target, due or not", () => {
    const waits = { waits: "[]", runAt: AT + 1000 };
    const statements = fileOf([waits, waits, {}, { ...waits, state: "dead" }, waits]);
    expect(found(statements, { waitingFor: { target: "t", after: 1 } })).toEqual([2, 5]);
  });

  it("are those of the sources that the claim serves", () => {
    const statements = fileOf([{ source: "a" }, { source: "b" }, { source: "c" }]);
    expect(found(statements, { sources: ["c", "a"] })).toEqual([3, 1]);
    expect(found(statements)).toEqual([1, 2, 3]);
  });

  it("do not explain it if there are more than a hundred, as then more than single entries is damaged", () => {
    const statements = fileOf(times(101));
    expect(found(statements)).toBeUndefined();
    expect(found(statements, {}, [1])).toBeUndefined();
    expect(found(fileOf(times(100)))).toHaveLength(100);
  });
});

it("a failure that is no damage is not taken for an unreadable delivery", () => {
  const statements = fileOf([{}]);
  const read = "SELECT body FROM delivery WHERE seq = ?";
  expect(canRead(statements, read, 1)).toBe(false);
  expect(canRead(statements, "SELECT seq FROM entry WHERE seq = ?", 1)).toBe(true);
  expect(() => canRead(statements, "SELECT body FROM no_table WHERE seq = ?", 1)).toThrow(
    "no such table",
  );
});
