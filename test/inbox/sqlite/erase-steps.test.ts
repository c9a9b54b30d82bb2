import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { loadSqlite } from "../../../src/inbox/sqlite/client.ts";
import {
  clearErased,
  endErasure,
  erase,
  fewToClear,
  nextErased,
  type OrderPlace,
  overwriteAll,
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
const DELIVERIES = "SELECT seq, method, headers, length(body) AS length FROM delivery ORDER BY seq";
const rowsOf = (table: string) => statements.all(`SELECT rowid, * FROM ${table} ORDER BY rowid`);

describe("erased entries are cleared", () => {
  it.each<[string, readonly number[], number]>([
    ["at once, if they lie close together", numbers(1, 50), 50],
    ["at once, if two of them lie close together", [1, 60], 2],
    ["eighty at a time, if there are many in a row", numbers(1, 500), 80],
    ["one at a time, if they are far apart", [1, 1000, 2000], 1],
    ["alone, if there is one", [1000], 1],
    ["at once, if there are none", [], 0],
  ])("%s", (_, seqs, expected) => {
    add([]);
    expect(fewToClear(statements, seqs)).toBe(expected);
  });

  it("one at a time, if there are large bodies around each", () => {
    addDelivery(30, 900_000);
    expect(fewToClear(statements, [1, 60])).toBe(2);
    addDelivery(100, 900_000);
    expect(fewToClear(statements, [1, 60])).toBe(1);
    expect(fewToClear(statements, [1])).toBe(1);
  });

  it("with their deliveries and runs, and those around them stay as they are, in whatever order they are given", () => {
    add(numbers(1, 400).map((number) => (number % 3 === 0 ? `key ${number}` : null)));
    for (const seq of numbers(1, 400)) {
      addDelivery(seq, seq % 10 === 0 ? 200_000 : 10);
      const run = { seq, attempt: 1, handler: "a", started_at: AT, duration_ms: 1, outcome: "ok" };
      if (seq % 4 !== 1) statements.insertRow("attempt", run);
    }
    const erased = [350, 7, 90, 200, 201];
    const others = (rows: ReturnType<typeof rowsOf>) =>
      rows.filter(({ seq }) => !erased.includes(seq as number));
    const deliveries = others(statements.all(DELIVERIES));
    const attempts = others(rowsOf("attempt"));
    const entries = rowsOf("entry");
    clearErased(statements, erased);
    expect(statements.all(DELIVERIES)).toEqual(deliveries);
    expect(rowsOf("attempt")).toEqual(attempts);
    expect(rowsOf("entry")).toEqual(entries);
  });
});

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

  it("no more than half a megabyte of bodies on each side", () => {
    add(numbers(1, 20).map(() => null));
    for (const seq of numbers(1, 20)) addDelivery(seq, 200_000);
    expect(rewritten("delivery", [10])).toEqual([8, 9, 11, 12]);
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
  it("notes the entries that it erased, with the time, until it ends", () => {
    add([null, null]);
    expect(erase(statements, [7], AT)).toEqual([]);
    expect(nextErased(statements, 0)).toEqual([]);
    expect(erase(statements, [1, 7], AT)).toEqual([1]);
    expect(erase(statements, [1, 2], AT + 5)).toEqual([2]);
    expect([nextErased(statements, 0), nextErased(statements, 1)]).toEqual([[1, 2], [2]]);
    expect(endErasure(statements)).toEqual({ entries: 2, since: AT });
    expect(nextErased(statements, 0)).toEqual([]);
  });

  it("does not clear an entry that has the number of a pruned one, and can erase it", () => {
    add([null]);
    erase(statements, [1], AT);
    statements.exec("DELETE FROM entry");
    add([null]);
    expect(nextErased(statements, 0)).toEqual([]);
    expect(erase(statements, [1], AT)).toEqual([1]);
    expect(nextErased(statements, 0)).toEqual([1]);
  });

  it("of a dead letter keeps the time at which it ended, and of one that waits has the time of the erasure", () => {
    add([null, null]);
    statements.exec(`UPDATE entry SET state = 'dead', settled_at = ${AT - 9} WHERE seq = 1`);
    erase(statements, [1, 2], AT);
    expect(rowsOf("entry")).toMatchObject([{ settled_at: AT - 9 }, { settled_at: AT }]);
  });

  it("are overwritten but for their keys", () => {
    add(["key"]);
    addDelivery(1, 10);
    expect(overwriteAll(statements, [1], AT)).toEqual([1]);
    expect(rowsOf("entry")).toMatchObject([
      { state: "handled", reason: "erased", order_key: null, event_id: "evt_0" },
    ]);
    expect(rowsOf("delivery").map(({ body }) => Buffer.from(body as Uint8Array))).toEqual([
      Buffer.alloc(10),
    ]);
  });
});
