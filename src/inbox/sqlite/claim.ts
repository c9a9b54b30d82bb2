import { randomUUID } from "node:crypto";
import { HookporterError } from "../../errors.ts";
import type { ClaimedEntry, ClaimRequest } from "../inbox.ts";
import { holdBackIfNeeded } from "./order.ts";
import { CLAIM_COLUMNS, type Row, toClaimed } from "./rows.ts";
import type { Statements } from "./statements.ts";

/** The condition of the index of what can be claimed, letter for letter, so that SQLite uses it. */
const WAITING = "state IN ('pending', 'running') AND held_back = 0";
const NOT_EXCEPT = "seq NOT IN (SELECT value FROM json_each(?))";

/** Entries looked at in one claim: a long row of held back ones must not keep deliveries waiting. */
const MAX_LOOKED_AT = 1000;

/** Leases due entries, within a transaction. */
export function claimDue(statements: Statements, request: ClaimRequest): readonly ClaimedEntry[] {
  if (request.only !== undefined) return claimOnly(statements, request.only, request);
  const { now, limit, leaseMs, ahead = 0, except = [], deadBlocks = false } = request;
  const horizon = horizonOf(request);
  const claimed: ClaimedEntry[] = [];
  for (const [due, bound] of [
    ["run_at <= ?", now],
    ["run_at > ?", now + Math.max(horizon, leaseMs)],
  ] as const) {
    const sql = `SELECT ${CLAIM_COLUMNS} FROM entry WHERE ${WAITING} AND ${due} AND ${NOT_EXCEPT}
      ORDER BY run_at, seq LIMIT ?`;
    // Whatever is looked at is leased or held back, and so is not found again.
    for (let looked = 0; looked < MAX_LOOKED_AT && claimed.length < limit + ahead; ) {
      const rows = statements.all(sql, bound, JSON.stringify(except), limit + ahead - claimed.length);
      let passedBy = rows.length === 0;
      for (const row of rows) {
        if (claimed.length >= limit && (row.attempts as number) > 0) passedBy = true;
        else if (!holdBackIfNeeded(statements, row, deadBlocks)) {
          claimed.push(lease(statements, row, now + leaseMs));
        }
      }
      if (passedBy) break;
      looked += rows.length;
    }
  }
  return claimed;
}

/** Leases one entry, due or not, unless it has ended, is leased, or an earlier one has to end first. */
function claimOnly(statements: Statements, seq: number, request: ClaimRequest): readonly ClaimedEntry[] {
  const { now, leaseMs, except = [], deadBlocks = false } = request;
  if (except.includes(seq)) return [];
  const row = statements.get(
    `SELECT ${CLAIM_COLUMNS} FROM entry
     WHERE seq = ? AND (state = 'pending' OR (state = 'running' AND (run_at <= ? OR run_at > ?)))`,
    ...[seq, now, now + Math.max(horizonOf(request), leaseMs)],
  );
  if (row === undefined || holdBackIfNeeded(statements, row, deadBlocks)) return [];
  return [lease(statements, row, now + leaseMs)];
}

/** Between threads, where everything goes as JSON, an endless one is `null`. */
function horizonOf({ horizon }: ClaimRequest): number {
  return horizon ?? Number.POSITIVE_INFINITY;
}

/** When the next entry is due; `undefined` when none is. */
export function nextDue(statements: Statements, except: readonly number[]): number | undefined {
  const sql = `SELECT run_at AS at FROM entry WHERE ${WAITING} AND ${NOT_EXCEPT} ORDER BY run_at LIMIT 1`;
  return statements.get(sql, JSON.stringify(except))?.at as number | undefined;
}

function lease(statements: Statements, row: Row, until: number): ClaimedEntry {
  const seq = row.seq as number;
  const token = randomUUID();
  statements.run(
    `UPDATE entry SET state = 'running', held_back = 0, run_at = ?, attempts = attempts + 1, lease = ?
     WHERE seq = ?`,
    ...[until, token, seq],
  );
  const stored = statements.get("SELECT method, target, headers, body FROM delivery WHERE seq = ?", seq);
  if (stored === undefined) {
    throw new HookporterError("inbox_corrupt", `the inbox has an entry ${seq} without a delivery`);
  }
  return toClaimed({ ...row, ...stored }, { token, until });
}
