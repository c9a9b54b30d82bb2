import type { Delivery } from "../../event/delivery.ts";
import type { AttemptRecord } from "../attempt-record.ts";
import { type CountFilter, type Counts, noCounts } from "../counts.ts";
import type { Entry } from "../entry.ts";
import type { EntryFilter } from "../entry-filter.ts";
import type { EntryState } from "../entry-state.ts";
import type { BacklogRequest } from "../inbox.ts";
import { inlineRuns } from "../inline-runs.ts";
import { type EntryOutline, FAILURE_START, type OutlineRequest } from "../outline.ts";
import { toOutlines } from "../outline-rows.ts";
import { encodeText, toAttempt, toEntry, toTargetCounts } from "../rows.ts";
import { DROPPED } from "../target-wait.ts";
import { filterSql } from "./filter.ts";
import { CLAIMABLE, HELD_BACK, WAITS } from "./index-conditions.ts";
import { toDelivery } from "./read-claimed.ts";
import type { Statements } from "./statements.ts";

export function listEntries(statements: Statements, filter: EntryFilter): readonly Entry[] {
  const { where, values } = filterSql(filter);
  const sql = `SELECT * FROM entry WHERE ${where} ORDER BY seq DESC LIMIT ?`;
  return statements
    .all(sql, ...values, filter.limit ?? -1)
    .reverse()
    .map(toEntry);
}

export function deliveryOfEntry(statements: Statements, seq: number): Delivery | undefined {
  const sql =
    "SELECT method, target, headers, body, received_at FROM delivery JOIN entry USING (seq) WHERE seq = ?";
  const row = statements.get(sql, seq);
  return row === undefined ? undefined : toDelivery(row);
}

export function attemptsOfEntry(statements: Statements, seq: number): readonly AttemptRecord[] {
  const rows = statements.all("SELECT * FROM attempt WHERE seq = ? ORDER BY rowid", seq);
  const entry = statements.get("SELECT finished_handlers FROM entry WHERE seq = ?", seq);
  return [
    ...rows.map(toAttempt),
    ...(entry === undefined ? [] : inlineRuns(entry.finished_handlers)),
  ];
}

/**
 * The runs of the last attempts, and the beginnings of bodies: SQLite reads no more pages of a body
 * than that needs.
 */
export function outlineEntries(
  statements: Statements,
  request: OutlineRequest,
): readonly EntryOutline[] {
  const seqs = JSON.stringify(request.entries.map(({ seq }) => seq));
  const runs = statements.all(
    `SELECT seq, attempt, handler, started_at, duration_ms, outcome, error, substr(failure, 1, ${FAILURE_START}) AS place FROM attempt
     WHERE seq IN (SELECT value FROM json_each(?)) AND attempt >= (SELECT attempts FROM entry WHERE entry.seq = attempt.seq)
     ORDER BY seq, rowid`,
    seqs,
  );
  const finished = statements.all(
    "SELECT seq, finished_handlers FROM entry WHERE seq IN (SELECT value FROM json_each(?))",
    seqs,
  );
  // SQLite's substr() of an empty blob is NULL.
  const starts = statements.all(
    "SELECT seq, coalesce(substr(body, 1, ?), x'') AS start FROM delivery WHERE seq IN (SELECT value FROM json_each(?))",
    request.bodyBytes,
    seqs,
  );
  return toOutlines(request, { runs, finished, starts });
}

export function countByState(statements: Statements, filter: CountFilter = {}): Counts {
  const counts = noCounts();
  const { where, values } = filterSql(filter);
  const rows = statements.all(
    `SELECT state, count(*) AS n, count(CASE WHEN state = 'dead' AND reason = '${DROPPED}' THEN 1 END) AS dropped
     FROM entry WHERE ${where} GROUP BY state`,
    ...values,
  );
  for (const { state, n, dropped } of rows) {
    counts[state as EntryState] = n as number;
    if (dropped !== 0) counts.dropped = dropped as number;
  }
  return counts;
}

export function countWaiting(statements: Statements, sources: readonly string[] | undefined) {
  const ofSources = sources === undefined ? "" : "AND source IN (SELECT value FROM json_each(?))";
  const rows = statements.all(
    `SELECT json_extract(wait.value, '$.target') AS target, count(*) AS entries
     FROM entry, json_each(entry.waits) AS wait
     WHERE ${WAITS} ${ofSources} AND json_extract(wait.value, '$.over') IS NULL GROUP BY 1`,
    ...(sources === undefined ? [] : [JSON.stringify(sources.map(encodeText))]),
  );
  return toTargetCounts(rows);
}

export function countBacklog(statements: Statements, { sources, limit }: BacklogRequest): number {
  // Each part reads its own index, and no more of it than is asked for.
  const parts = [CLAIMABLE, HELD_BACK].map(
    (which) => `SELECT 1 FROM entry WHERE source = ? AND ${which}`,
  );
  let count = 0;
  for (const source of sources.map(encodeText)) {
    for (const part of parts) {
      const row = statements.get(
        `SELECT count(*) AS n FROM (${part} LIMIT ?)`,
        source,
        limit - count,
      );
      count += row?.n as number;
    }
  }
  return count;
}
