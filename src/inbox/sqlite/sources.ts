import { encodeText, type Row } from "../rows.ts";
import { CLAIMABLE } from "./index-conditions.ts";
import type { Statements } from "./statements.ts";

/**
 * Jumps from one source to the next in the index of what can be claimed: fast for any number of
 * entries.
 */
const WAITING_SOURCES = `WITH RECURSIVE found (source) AS (
  SELECT min(source) FROM entry WHERE ${CLAIMABLE}
  UNION ALL
  SELECT (SELECT min(source) FROM entry WHERE ${CLAIMABLE} AND source > found.source)
  FROM found WHERE found.source IS NOT NULL
) SELECT source FROM found WHERE source IS NOT NULL`;

/** The sources to look at, as stored: those in the request, or all with waiting entries. */
export function sourcesToServe(statements: Statements, sources: readonly string[] | undefined) {
  if (sources !== undefined) return sources.map(encodeText);
  return statements.all(WAITING_SOURCES).map(({ source }) => source as string);
}

/** A test of whether a row has one of these sources; any source if none are given. */
export function servedBy(sources: readonly string[] | undefined): (row: Row) => boolean {
  if (sources === undefined) return () => true;
  const stored = new Set(sources.map(encodeText));
  return ({ source }) => stored.has(source as string);
}
