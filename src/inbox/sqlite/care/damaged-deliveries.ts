import type { ClaimRequest } from "../../claim.ts";
import { isDamage } from "../errors.ts";
import { CLAIMABLE, WAITS } from "../index-conditions.ts";
import { sourcesToServe } from "../sources.ts";
import type { Statements } from "../statements.ts";

const WHOLE = "SELECT method, target, headers, body FROM delivery WHERE seq = ?";

/** Waiting entries to check after a claim failed. */
const LOOKED_AT = 1000;

/**
 * Maximum damaged entries, more than one page holds: beyond it the damage is not limited to single
 * entries.
 */
const MOST = 100;

/**
 * Finds the deliveries that made a claim fail, outside any transaction, and adds them to those that
 * are known. Returns whether they explain the failure: at least one was found, and few enough that
 * only single entries are damaged.
 */
export function explainsFailure(
  statements: Statements,
  { now, only, waitingFor, sources }: ClaimRequest,
  known: Set<number>,
): boolean {
  const due = `${CLAIMABLE} AND run_at <= ? ORDER BY run_at, seq`;
  const condition = waitingFor === undefined ? due : `${WAITS} AND seq > ? ORDER BY seq`;
  const sql = `SELECT seq FROM entry WHERE source = ? AND ${condition} LIMIT ?`;
  const waiting = sourcesToServe(statements, sources).flatMap((source) =>
    statements
      .all(sql, source, waitingFor?.after ?? now, LOOKED_AT)
      .map(({ seq }) => seq as number),
  );
  const suspects = only === undefined ? waiting : [only];
  const found = suspects.filter((seq) => !known.has(seq) && !canRead(statements, WHOLE, seq));
  if (found.length === 0 || known.size + found.length > MOST) return false;
  for (const seq of found) known.add(seq);
  return true;
}

/** Whether a row of an entry can be read; `false` if its page is damaged. */
export function canRead(statements: Statements, sql: string, seq: number): boolean {
  try {
    statements.get(sql, seq);
    return true;
  } catch (thrown) {
    if (isDamage(thrown)) return false;
    throw thrown;
  }
}
