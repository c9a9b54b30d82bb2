import { orElse } from "../../../base/or-else.ts";
import type { Row } from "../../rows.ts";
import type { Statements } from "../statements.ts";

/** A range of numbers, both ends included. */
export type Range = readonly [from: number, to: number];

export const STEP = 256;

/** Places at which it is tried whether anything of a table can be read. */
const SAMPLES = 64;

/**
 * Reads the rows of a range of numbers. If a damaged page is in the way, the range is halved until only what that page
 * holds is left out.
 */
export function readableRows(
  read: (range: Range) => readonly Row[],
  [from, to]: Range,
  onLost: (range: Range) => void = () => {},
): readonly Row[] {
  try {
    return read([from, to]);
  } catch {
    if (from >= to) {
      onLost([from, to]);
      return [];
    }
    const middle = Math.floor((from + to) / 2);
    return [...readableRows(read, [from, middle], onLost), ...readableRows(read, [middle + 1, to], onLost)];
  }
}

/** Whether anything of a table can be found by its number: not if its root is damaged. */
export function isReadable(statements: Statements, table: string, last: number): boolean {
  const sql = `SELECT 1 FROM ${table} WHERE seq >= ? ORDER BY seq LIMIT 1`;
  return Array.from({ length: SAMPLES + 1 }, (_, index) => 1 + Math.floor((last * index) / SAMPLES)).some(
    (seq) => tryGet(statements, sql, seq) !== undefined,
  );
}

/** A row; `undefined` if there is none, or if it cannot be read. */
export function tryGet(statements: Statements, sql: string, ...values: readonly number[]): Row | undefined {
  return orElse(() => statements.get(sql, ...values), undefined);
}

/** Powers of two that a number may reach. */
const POWERS = 45;

/** Numbers that are tried to find the end of what can be read. */
const TRIED = 1024;

/** The highest number that any table or index knows; if the end of all is lost, the highest that can be read. */
export function highestNumber(statements: Statements): number {
  const sources = ["entry", "delivery", "attempt", "attempt NOT INDEXED"];
  const known = sources.map((from) =>
    Number(tryGet(statements, `SELECT max(seq) AS n FROM ${from}`)?.n ?? 0),
  );
  const readable = ["entry", "delivery"].map((table) => endOfReadable(statements, table));
  return Math.max(0, ...[...known, ...readable].filter((number) => Number.isSafeInteger(number)));
}

/** The highest number of a table that is found from some number down. */
function endOfReadable(statements: Statements, table: string): number {
  const sql = `SELECT seq FROM ${table} WHERE seq <= ? ORDER BY seq DESC LIMIT 1`;
  const atMost = (seq: number) => Number(tryGet(statements, sql, seq)?.seq ?? 0);
  const powers = Array.from({ length: POWERS }, (_, power) => 2 ** power);
  const reached = Math.max(0, ...powers.map(atMost));
  const step = Math.max(1, Math.ceil((reached * 8) / TRIED));
  let [good, bad] = [reached, reached + step];
  for (let seq = reached; seq <= reached * 8; seq += step) {
    if (atMost(seq) > good) [good, bad] = [atMost(seq), seq + step];
  }
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2);
    if (atMost(middle) > good) good = middle;
    else bad = middle;
  }
  return good;
}

/** Ranges that touch, as one. */
export function joined(ranges: readonly Range[]): readonly Range[] {
  const result: Range[] = [];
  for (const [from, to] of ranges) {
    const last = result.at(-1);
    if (last !== undefined && last[1] + 1 === from) result[result.length - 1] = [last[0], to];
    else result.push([from, to]);
  }
  return result;
}
