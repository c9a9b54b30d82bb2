import type { NewEntry } from "../append.ts";
import { encodeNullable, encodeText, type Row } from "../rows.ts";
import { DROPPED } from "../target-wait.ts";
import { ORDERED } from "./index-conditions.ts";
import type { Statements } from "./statements.ts";

/**
 * Whether an earlier entry of the same order key has to end first. If so, the entry is marked, and
 * claims skip it until {@link releaseNext}. The mark only saves work: this is checked again after
 * every release.
 */
export function holdBackIfNeeded(statements: Statements, row: Row, deadBlocks: boolean): boolean {
  const { seq, source, order_key: key } = row;
  if (key === null) return false;
  const earlier = statements.get(
    `SELECT 1 FROM entry WHERE ${ORDERED} AND order_key = ? AND source = ? AND seq < ?
       AND (state <> 'dead' OR (? AND reason IS NOT '${DROPPED}')) LIMIT 1`,
    key as string,
    source as string,
    seq as number,
    deadBlocks ? 1 : 0,
  );
  if (earlier === undefined) return false;
  statements.run("UPDATE entry SET held_back = 1 WHERE seq = ?", seq as number);
  return true;
}

/** Whether an earlier entry of a new one's order key waits or runs. */
export function isBlocked(
  statements: Statements,
  { orderKey, key }: Pick<NewEntry, "orderKey" | "key">,
) {
  const sql = `SELECT 1 FROM entry WHERE ${ORDERED} AND order_key = ? AND source = ? AND state <> 'dead' LIMIT 1`;
  return statements.get(sql, encodeNullable(orderKey), encodeText(key.source)) !== undefined;
}

/**
 * The same as {@link releaseNext}, for an entry that was not deleted: most hold nothing back, so
 * this looks first.
 */
export function releaseBlocked(statements: Statements, seq: number): void {
  const blocked = statements.get(
    `SELECT min(seq) AS next FROM entry WHERE ${ORDERED} AND held_back = 1
       AND (order_key, source) = (SELECT order_key, source FROM entry WHERE seq = ?)`,
    seq,
  );
  if (blocked?.next != null)
    statements.run("UPDATE entry SET held_back = 0 WHERE seq = ?", blocked.next as number);
}

/** Lets claims look at the first entry of an order key that was held back. */
export function releaseNext(statements: Statements, { source, order_key: key }: Row): void {
  if (key === null) return;
  statements.run(
    `UPDATE entry SET held_back = 0 WHERE seq =
       (SELECT min(seq) FROM entry WHERE ${ORDERED} AND order_key = ? AND source = ? AND held_back = 1)`,
    key as string,
    source as string,
  );
}

/**
 * Lets claims look at every entry again: marks of another version, or of other options, may be out
 * of date.
 */
export function releaseAll(statements: Statements): void {
  statements.run("UPDATE entry SET held_back = 0 WHERE held_back = 1");
}
