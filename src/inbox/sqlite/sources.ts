import { WAITING } from "./index-conditions.ts";
import type { Row } from "./rows.ts";
import type { Statements } from "./statements.ts";
import { encodeText } from "./text.ts";

/** Jumps from one source to the next in the index of what can be claimed, however many entries each has. */
const WAITING_SOURCES = `WITH RECURSIVE found (source) AS (
  SELECT min(source) FROM entry WHERE ${WAITING}
  UNION ALL
  SELECT (SELECT min(source) FROM entry WHERE ${WAITING} AND source > found.source)
  FROM found WHERE found.source IS NOT NULL
) SELECT source FROM found WHERE source IS NOT NULL`;

/** The sources to look at, as they are stored: those that are asked for, or all that have something waiting. */
export function sourcesToServe(
  statements: Statements,
  sources: readonly string[] | undefined,
): readonly string[] {
  if (sources !== undefined) return sources.map(encodeText);
  return statements.all(WAITING_SOURCES).map(({ source }) => source as string);
}

/** Whether a row is of one of these sources; of any, if none are named. */
export function servedBy(sources: readonly string[] | undefined): (row: Row) => boolean {
  if (sources === undefined) return () => true;
  const stored = new Set(sources.map(encodeText));
  return ({ source }) => stored.has(source as string);
}
