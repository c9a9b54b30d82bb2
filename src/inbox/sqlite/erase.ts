import { hash } from "../../base/package/builtins.ts";
import type { Erasure } from "../inbox.ts";
import { ERASED } from "../reasons.ts";
import type { Row } from "../rows.ts";
import { ORDERED } from "./index-conditions.ts";
import { releaseNext } from "./order.ts";
import type { Statements, Value } from "./statements.ts";

// Erasing goes over the entries twice. First each is overwritten where it lies, so that nothing
// moves. Then the rows go, with what is left of them elsewhere: as rows grow or go, SQLite moves
// their neighbours to other pages and leaves a copy of each in the unused space of a page, which
// deleting a row does not reach.

const NO_BODY = hash("sha256", new Uint8Array(), "hex");

const LENGTH = (column: string) => `length(CAST(${column} AS BLOB))`;
const ZEROS = (column: string) => `${column} = CAST(zeroblob(${LENGTH(column)}) AS TEXT)`;
/** With values of the same length, so that a row stays in its place. */
const OVERWRITE = [
  `UPDATE delivery SET ${ZEROS("target")}, headers = printf('%-*s', ${LENGTH("headers")}, '{}'), body = zeroblob(length(body))
    WHERE seq = ?`,
  `UPDATE attempt SET ${["handler", "error", "note", "failure"].map(ZEROS).join(", ")} WHERE seq = ?`,
];

/**
 * Overwrites entries, and notes that the rest of them is to be deleted at the erasure's end: see
 * {@link overwriteAll}.
 */
export function erase(
  statements: Statements,
  seqs: readonly number[],
  now: number,
): readonly number[] {
  const erased = overwriteAll(statements, seqs, now);
  statements.run(
    "INSERT OR REPLACE INTO erased SELECT value, ? FROM json_each(?)",
    now,
    JSON.stringify(erased),
  );
  return erased;
}

/**
 * Overwrites all of these entries but their keys, unless they run, within a transaction; returns
 * the numbers of the others.
 */
export function overwriteAll(
  statements: Statements,
  seqs: readonly number[],
  now: number,
): readonly number[] {
  return securely(statements, () => {
    const find = `SELECT * FROM entry
      WHERE seq = ? AND state <> 'running' AND NOT (state = 'handled' AND reason IS '${ERASED}')`;
    const rows = seqs.flatMap<Row>((seq) => statements.get(find, seq) ?? []);
    for (const row of rows) overwrite(statements, row, now);
    return rows.map(({ seq }) => seq as number);
  });
}

/** Runs with deleted content overwritten by zeros, also where that takes writing another page. */
function securely<Result>(statements: Statements, work: () => Result): Result {
  statements.exec("PRAGMA secure_delete = ON");
  try {
    return work();
  } finally {
    statements.exec("PRAGMA secure_delete = FAST");
  }
}

function overwrite(statements: Statements, row: Row, now: number): void {
  const seq = row.seq as number;
  for (const sql of OVERWRITE) statements.run(sql, seq);
  statements.run(
    `UPDATE entry SET order_key = NULL, problems = NULL, waits = NULL, state = 'handled', reason = '${ERASED}', lease = NULL,
       settled_at = coalesce(settled_at, ?), held_back = 0, finished_handlers = '[]', body_hash = '${NO_BODY}', body_length = 0
     WHERE seq = ?`,
    now,
    seq,
  );
  releaseNext(statements, row);
}

/**
 * Rows on each side of an erased one to which it may have been copied: they take up several pages.
 * Bytes of bodies among them.
 */
const NEIGHBOURS = 80;
const BYTES = 512 * 1024;

/**
 * How many of these entries, in ascending order, to clear at a time, so that few rows and bytes are
 * written while others wait for the lock: those that lie close together.
 */
export function fewToClear(statements: Statements, seqs: readonly number[]): number {
  const length = "SELECT total(length(body)) AS bytes FROM delivery WHERE seq BETWEEN ? AND ?";
  let rows = 0;
  let bytes = 0;
  let last = Number.NEGATIVE_INFINITY;
  const end = seqs.findIndex((seq) => {
    const from = Math.max(last + 1, seq - NEIGHBOURS);
    last = seq + NEIGHBOURS;
    rows += last + 1 - from;
    bytes += Math.min(statements.get(length, from, last)?.bytes as number, 2 * BYTES);
    return rows > 3 * NEIGHBOURS || bytes > 3 * BYTES; // which no first one reaches
  });
  return end === -1 ? seqs.length : end;
}

/**
 * Deletes the rows of erased entries, and writes the rows around them again, in pages without
 * anything else.
 */
export function clearErased(statements: Statements, seqs: readonly number[]): void {
  securely(statements, () => {
    const given = JSON.stringify(seqs);
    const ofThem = "seq IN (SELECT value FROM json_each(?))";
    const runs = statements.all(`SELECT rowid FROM attempt WHERE ${ofThem}`, given);
    for (const table of ["attempt", "delivery"])
      statements.run(`DELETE FROM ${table} WHERE ${ofThem}`, given);
    rewriteAround(statements, "delivery", seqs);
    rewriteAround(statements, "entry", seqs);
    const rowids = runs.map(({ rowid }) => rowid as number);
    rewriteAround(statements, "attempt", rowids);
  });
}

function rewriteAround(statements: Statements, table: string, rowids: readonly number[]): void {
  const ranges: [from: number, to: number][] = [];
  for (const rowid of rowids.toSorted((a, b) => a - b)) {
    const from = farthest(statements, table, "<= ? ORDER BY rowid DESC", rowid);
    const to = farthest(statements, table, ">= ? ORDER BY rowid", rowid);
    const last = ranges.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = to;
    else ranges.push([from, to]);
  }
  for (const range of ranges) {
    const rows = statements.all(
      `SELECT rowid, * FROM ${table} WHERE rowid BETWEEN ? AND ?`,
      ...range,
    );
    statements.run(`DELETE FROM ${table} WHERE rowid BETWEEN ? AND ?`, ...range);
    for (const row of rows) statements.insertRow(table, row as Record<string, Value>);
  }
}

function farthest(statements: Statements, table: string, which: string, rowid: number): number {
  const length = table === "delivery" ? "length(body)" : "0";
  const sql = `SELECT rowid AS id, ${length} AS length FROM ${table} WHERE rowid ${which} LIMIT ${NEIGHBOURS}`;
  let bytes = 0;
  let last = rowid;
  for (const row of statements.all(sql, rowid)) {
    bytes += row.length as number;
    if (bytes > BYTES) break;
    last = row.id as number;
  }
  return last;
}

/** A place in the index of order keys: many entries may have the same key. */
export type OrderPlace = readonly [key: string, source: string, seq: number];

const SOME_ORDERED = `SELECT seq, order_key, source FROM entry WHERE ${ORDERED} AND (order_key, source, seq) >= (?, ?, ?)
  ORDER BY order_key, source, seq LIMIT ${2 * NEIGHBOURS}`;

/**
 * Does the same in a part of the index of order keys, from a place on; returns where the next part
 * begins, if there is one.
 */
export function rewriteOrder(statements: Statements, from: OrderPlace): OrderPlace | undefined {
  return securely(statements, () => {
    const rows = statements.all(SOME_ORDERED, ...from);
    const update = "UPDATE entry SET order_key = ? WHERE seq = ?";
    for (const { seq } of rows) statements.run(update, null, seq as number);
    for (const { seq, order_key: key } of rows)
      statements.run(update, key as string, seq as number);
    const next = rows[NEIGHBOURS];
    return next && [next.order_key as string, next.source as string, next.seq as number];
  });
}

/**
 * The next numbers of erased entries of which something is left, in order. A pruned one's number
 * may be another's by now.
 */
export function nextErased(statements: Statements, after: number): readonly number[] {
  const rows = statements.all(
    `SELECT seq FROM erased JOIN entry USING (seq) WHERE seq > ? AND state = 'handled' AND reason = '${ERASED}'
     ORDER BY seq LIMIT 1000`,
    after,
  );
  return rows.map(({ seq }) => seq as number);
}

/** Forgets the numbers of erased entries, of which nothing is left; says how many there were. */
export function endErasure(statements: Statements): Erasure {
  const row = statements.get("SELECT count(*) AS entries, min(erased_at) AS since FROM erased");
  statements.run("DELETE FROM erased");
  return { entries: row?.entries as number, since: row?.since as number };
}
