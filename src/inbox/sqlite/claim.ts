import { type ClaimedEntry, type ClaimRequest, type DueRequest, leaseToken } from "../claim.ts";
import { encodeText, type Row } from "../rows.ts";
import { DROPPED } from "../target-wait.ts";
import { CLAIMABLE, OPEN, WAITS } from "./index-conditions.ts";
import { holdBackIfNeeded, releaseNext } from "./order.ts";
import { type ClaimTerms, claimTerms, deferIfPaused, unpausedSources } from "./pause.ts";
import { CLAIM_COLUMNS, readClaimed } from "./read-claimed.ts";
import { servedBy } from "./sources.ts";
import type { Statements } from "./statements.ts";

const NOT_EXCEPT = "seq NOT IN (SELECT value FROM json_each(?))";

/** Maximum entries per claim to look at: many that are held back must not make deliveries wait. */
const MAX_LOOKED_AT = 1000;

/** Leases due entries, within a transaction; does not read deliveries on damaged pages. */
export function claimDue(
  statements: Statements,
  request: ClaimRequest,
  onDamagedPages: readonly number[] = [],
): readonly ClaimedEntry[] {
  const terms = claimTerms(statements, onDamagedPages);
  if (request.only !== undefined) return claimOnly(statements, request.only, request, terms);
  if (request.waitingFor !== undefined)
    return claimWaiting(statements, request.waitingFor, request, terms);
  const { now, limit, leaseTime, ahead = 0, except = [] } = request;
  const kinds = kindsSql(request);
  const sources = unpausedSources(statements, request.sources, terms.pauses);
  const horizon = horizonOf(request);
  const claimed: ClaimedEntry[] = [];
  for (const [due, bound] of [
    ["run_at <= ?", now],
    ["run_at > ?", Math.max(now + horizon, now + leaseTime, terms.pacedUntil)],
  ] as const) {
    const sql = `SELECT ${CLAIM_COLUMNS} FROM entry WHERE source = ? AND ${CLAIMABLE} AND ${due} AND ${NOT_EXCEPT}
      ${kinds.where} ORDER BY run_at, seq LIMIT ?`;
    // Each entry is leased or held back, so the next query does not find it again.
    for (let looked = 0; looked < MAX_LOOKED_AT && claimed.length < limit + ahead; ) {
      const wanted = limit + ahead - claimed.length;
      const values = [bound, JSON.stringify(except), ...kinds.values, wanted];
      const rowsOf = (source: string) => statements.all(sql, source, ...values);
      const rows = firstDue(sources.map(rowsOf), wanted);
      let passedBy = rows.length === 0;
      for (const row of rows) {
        if (claimed.length >= limit && (row.attempts as number) > 0) passedBy = true;
        else claimed.push(...leaseIfFree(statements, row, request, terms));
      }
      if (passedBy) break;
      looked += rows.length;
    }
  }
  return claimed;
}

/** The first rows due, of all sources; those of each source are in order. */
function firstDue(bySource: readonly (readonly Row[])[], limit: number): readonly Row[] {
  const [only = [], ...others] = bySource;
  if (others.length === 0) return only;
  const runAt = (row: Row) => row.run_at as number;
  return bySource
    .flat()
    .sort((a, b) => runAt(a) - runAt(b) || (a.seq as number) - (b.seq as number))
    .slice(0, limit);
}

/** Leases one entry, due or not, unless it has ended, is leased, or is held back. */
function claimOnly(statements: Statements, seq: number, request: ClaimRequest, terms: ClaimTerms) {
  const { now, leaseTime, except = [] } = request;
  if (except.includes(seq)) return [];
  const row = statements.get(
    `SELECT ${CLAIM_COLUMNS} FROM entry
     WHERE seq = ? AND ${OPEN} AND (state <> 'running' OR run_at <= ? OR run_at > ?)`,
    seq,
    now,
    now + Math.max(horizonOf(request), leaseTime),
  );
  const { all, sources } = terms.pauses;
  if (row === undefined || all || sources.has(row.source as string)) return [];
  return servedBy(request.sources)(row) ? leaseIfFree(statements, row, request, terms) : [];
}

/** Leases entries that wait for a target, due or not, in order of arrival. */
function claimWaiting(
  statements: Statements,
  { target, after }: { readonly target: string; readonly after: number },
  request: ClaimRequest,
  terms: ClaimTerms,
): readonly ClaimedEntry[] {
  const { now, limit, leaseTime, except = [] } = request;
  if (terms.pauses.runs.some(({ scope, name }) => scope === "target" && name === target)) return [];
  const sql = `SELECT ${CLAIM_COLUMNS} FROM entry WHERE source = ? AND ${WAITS} AND held_back = 0 AND seq > ?
      AND (state <> 'running' OR run_at <= ? OR run_at > ?) AND ${NOT_EXCEPT} AND EXISTS (
        SELECT 1 FROM json_each(entry.waits) AS wait
        WHERE json_extract(wait.value, '$.target') = ? AND json_extract(wait.value, '$.over') IS NULL)
    ORDER BY seq LIMIT ?`;
  const bounds = [now, now + Math.max(horizonOf(request), leaseTime)];
  const claimed: ClaimedEntry[] = [];
  for (let past = after; claimed.length < limit; ) {
    const wanted = limit - claimed.length;
    const values = [past, ...bounds, JSON.stringify(except), encodeText(target), wanted];
    const rows = unpausedSources(statements, request.sources, terms.pauses)
      .flatMap((source) => statements.all(sql, source, ...values))
      .sort((a, b) => (a.seq as number) - (b.seq as number))
      .slice(0, wanted);
    claimed.push(...rows.flatMap((row) => leaseIfFree(statements, row, request, terms)));
    past = Number(rows.at(-1)?.seq);
    if (rows.length < wanted) break;
  }
  return claimed;
}

/** Between threads an infinite horizon is `null`, as JSON writes it. */
function horizonOf({ horizon }: ClaimRequest): number {
  return horizon ?? Number.POSITIVE_INFINITY;
}

/** A condition against kinds that are left to other processes, and its values. */
function kindsSql({ exceptKinds = [] }: DueRequest): { where: string; values: string[] } {
  if (exceptKinds.length === 0) return { where: "", values: [] };
  const where = "AND (kind IS NULL OR kind NOT IN (SELECT value FROM json_each(?)))";
  return { where, values: [JSON.stringify(exceptKinds.map(encodeText))] };
}

export function nextDue(statements: Statements, request: DueRequest): number | undefined {
  const { except = [], sources } = request;
  const kinds = kindsSql(request);
  const sql = `SELECT run_at AS at FROM entry WHERE source = ? AND ${CLAIMABLE} AND ${NOT_EXCEPT} ${kinds.where}
    ORDER BY run_at LIMIT 1`;
  const values = [JSON.stringify(except), ...kinds.values];
  const due = unpausedSources(statements, sources).flatMap(
    (source) => (statements.get(sql, source, ...values)?.at as number | undefined) ?? [],
  );
  return due.length === 0 ? undefined : Math.min(...due);
}

/** Leases an entry, unless it was dropped, or an earlier one of its order key has to end first. */
function leaseIfFree(statements: Statements, row: Row, request: ClaimRequest, terms: ClaimTerms) {
  const { now, leaseTime, deadBlocks = false, runner } = request;
  const { damaged, pauses } = terms;
  if (row.state === "running" && row.reason === DROPPED) {
    // It was dropped while it ran in a process that has died.
    const end = "UPDATE entry SET state = 'dead', lease = NULL, settled_at = ? WHERE seq = ?";
    statements.run(end, now, row.seq as number);
    releaseNext(statements, row);
    return [];
  }
  if (deferIfPaused(statements, row, pauses, now)) return [];
  if (holdBackIfNeeded(statements, row, deadBlocks)) return [];
  const token = leaseToken(runner);
  const until = now + leaseTime;
  statements.run(
    `UPDATE entry SET state = 'running', held_back = 0, run_at = ?, attempts = attempts + 1, lease = ?
     WHERE seq = ?`,
    until,
    token,
    row.seq as number,
  );
  const claimed = readClaimed(statements, row, { token, until }, damaged);
  return [pauses.runs.length === 0 ? claimed : { ...claimed, paused: pauses.runs }];
}
