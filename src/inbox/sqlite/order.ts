import { ORDERED } from "./index-conditions.ts";
import type { Row } from "./rows.ts";
import type { Statements } from "./statements.ts";

/**
 * Whether an earlier entry of the same order key has to end first. If so the entry is marked, so that claims pass it by
 * until {@link releaseNext}: a mark can only spare work, never decide, since this is asked again after every release.
 */
export function holdBackIfNeeded(
  statements: Statements,
  { seq, source, order_key: key }: Row,
  deadBlocks: boolean,
): boolean {
  if (key === null) return false;
  const earlier = statements.get(
    `SELECT 1 FROM entry WHERE ${ORDERED} AND order_key = ? AND source = ? AND seq < ?
       AND (state <> 'dead' OR ?) LIMIT 1`,
    ...[key as string, source as string, seq as number, deadBlocks ? 1 : 0],
  );
  if (earlier === undefined) return false;
  statements.run("UPDATE entry SET held_back = 1 WHERE seq = ?", seq as number);
  return true;
}

/** The same as {@link releaseNext}, for an entry that is still there. */
export function releaseBehind(statements: Statements, seq: number): void {
  const sql = "SELECT source, order_key FROM entry WHERE seq = ? AND order_key IS NOT NULL";
  const ordered = statements.get(sql, seq);
  if (ordered !== undefined) releaseNext(statements, ordered);
}

/** Lets the first entry that was held back behind an order key be looked at again. */
export function releaseNext(statements: Statements, { source, order_key: key }: Row): void {
  if (key === null) return;
  statements.run(
    `UPDATE entry SET held_back = 0 WHERE seq =
       (SELECT min(seq) FROM entry WHERE ${ORDERED} AND order_key = ? AND source = ? AND held_back = 1)`,
    ...[key as string, source as string],
  );
}

/** Lets every entry be looked at again: the marks of another version or other options may not hold any more. */
export function releaseAll(statements: Statements): void {
  statements.run("UPDATE entry SET held_back = 0 WHERE held_back = 1");
}
