import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { loadSqlite } from "../../../src/inbox/sqlite/client.ts";
import {
  clearErased,
  erase,
  nextErased,
  type OrderPlace,
  rewriteOrder,
} from "../../../src/inbox/sqlite/erase.ts";
import { createSchema } from "../../../src/inbox/sqlite/migrations.ts";
import { Statements } from "../../../src/inbox/sqlite/statements.ts";
import { AT } from "../entries.ts";

let statements: Statements;

beforeEach(() => {
  const database = new (loadSqlite().DatabaseSync)(":memory:");
  createSchema(database, AT);
  const opened = new Statements(database);
  onTestFinished(() => opened.close());
  statements = opened;
});

/** Adds entries from number 1 that wait, with these order keys. */
function add(orderKeys: readonly (string | null)[]): void {
  for (const [index, key] of orderKeys.entries()) {
    const row = {
      seq: index + 1,
      key_timestamp: AT,
      event_id: `evt_${index}`,
      source: index % 2 === 0 ? "a" : "b",
      state: "waiting",
    };
    const rest = {
      order_key: key,
      received_at: AT,
      run_at: AT,
      last_seen_at: AT,
      body_hash: "",
      body_length: 0,
    };
    statements.insertRow("entry", { ...row, ...rest });
  }
}

function addDelivery(seq: number, length: number): void {
  statements.insertRow("delivery", {
    seq,
    method: "POST",
    target: "/",
    headers: "{}",
    body: Buffer.alloc(length),
  });
}

const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);
const rowsOf = (table: string) => statements.all(`SELECT rowid, * FROM ${table} ORDER BY rowid`);

describe("what lies around erased entries is written again", () => {
  /** Clears entries; returns which rows of a table were written again, and how often. */
  function rewritten(table: string, seqs: readonly number[]): readonly number[] {
    statements.exec(`CREATE TEMP TABLE rewritten (seq INTEGER);
      CREATE TEMP TRIGGER rewrite AFTER INSERT ON ${table} BEGIN INSERT INTO rewritten VALUES (NEW.rowid); END`);
    clearErased(statements, seqs);
    return statements.all("SELECT seq FROM rewritten ORDER BY seq").map(({ seq }) => seq as number);
  }

  it("once: eighty rows on each side, also if these overlap, and none in between", () => {
    add(numbers(1, 900).map(() => null));
    expect(rewritten("entry", [800, 100, 150])).toEqual([
      ...numbers(21, 229),
      ...numbers(721, 879),
    ]);
    expect(statements.pragma("secure_delete")).toBe(2); // as it was: only where that costs nothing
  });

  it("although some of it has no delivery", () => {
    add(numbers(1, 20).map(() => null));
    for (const seq of [3, 10, 17]) addDelivery(seq, 0);
    expect(rewritten("delivery", [10, 12])).toEqual([3, 17]);
  });

  it("for runs, too, which have numbers of their own", () => {
    add(numbers(1, 3).map(() => null));
    for (const number of numbers(1, 300)) {
      const seq = number === 200 ? 2 : 3;
      const run = {
        seq,
        attempt: number,
        handler: "a",
        started_at: AT,
        duration_ms: 1,
        outcome: "ok",
      };
      statements.insertRow("attempt", run);
    }
    expect(rewritten("attempt", [2])).toEqual([...numbers(120, 199), ...numbers(201, 280)]);
  });
});

describe("the index of order keys is rewritten", () => {
  it.each<[string, (number: number) => string | null]>([
    ["if each entry has a key of its own", (number) => `key ${(number * 7919) % 1000}`],
    [
      "if many entries have one in common",
      (number) => (number % 2 === 0 ? "common" : `key ${number % 9}`),
    ],
    ["if some have none", (number) => (number % 3 === 0 ? null : `key ${number % 5}`)],
  ])("wholly, in steps, and is as it was, %s", (_, keyOf) => {
    add(numbers(1, 700).map(keyOf));
    const before = rowsOf("entry");
    statements.exec(`CREATE TEMP TABLE touched (seq INTEGER PRIMARY KEY);
      CREATE TEMP TRIGGER touch AFTER UPDATE OF order_key ON entry WHEN NEW.order_key IS NULL
        BEGIN INSERT OR IGNORE INTO touched VALUES (NEW.seq); END`);
    const touched = () =>
      statements.all("SELECT seq FROM touched ORDER BY seq").map(({ seq }) => seq);
    let place: OrderPlace | undefined = ["", "", 0];
    let steps = 0;
    while (place !== undefined && steps < 50) {
      place = rewriteOrder(statements, place);
      steps++;
      expect(touched().length).toBeLessThanOrEqual(160 * steps);
    }
    expect(touched()).toEqual(
      before.flatMap(({ seq, order_key: key }) => (key === null ? [] : [seq])),
    );
    expect(rowsOf("entry")).toEqual(before);
  });
});

describe("an erasure", () => {
  it("does not clear an entry that has the number of a pruned one, and can erase it", () => {
    add([null]);
    erase(statements, [1], AT);
    statements.exec("DELETE FROM entry");
    add([null]);
    expect(nextErased(statements, 0)).toEqual([]);
    expect(erase(statements, [1], AT)).toEqual([1]);
    expect(nextErased(statements, 0)).toEqual([1]);
  });
});
