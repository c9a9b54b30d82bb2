import { matchesKind } from "../../event/kind-pattern.ts";
import {
  type NewPacedRetry,
  PACE_STEP,
  PACED,
  PAUSED,
  type PaceStep,
  type Pause,
  type PauseOf,
  type PauseScope,
  type Pauses,
  retryOf,
  SET_ASIDE,
} from "../pause.ts";
import { decodeText, encodeText, type Row, toPause, toRetry } from "../rows.ts";
import { CLAIMABLE } from "./index-conditions.ts";
import { sourcesToServe } from "./sources.ts";
import type { Statements } from "./statements.ts";

/**
 * The state of an entry that waited for something and no longer does, as `stateBeforeRun` has it.
 */
export const STATE_WITHOUT_REASON = "iif(attempts > 0, 'failing', 'waiting')";

export type ClaimTerms = ReturnType<typeof claimTerms>;

/** @param onDamagedPages - entries whose delivery is on a damaged page */
export function claimTerms(statements: Statements, onDamagedPages: readonly number[]) {
  const paced = statements.get("SELECT coalesce(max(due_until), 0) AS until FROM pace");
  return {
    damaged: new Set(onDamagedPages),
    pauses: readClaimPauses(statements),
    /** When the last entry of all retries at a measured pace is due. */
    pacedUntil: paced?.until as number,
  };
}

type ClaimPauses = ReturnType<typeof readClaimPauses>;

/**
 * The pauses that a claim looks at: those of whole entries, with names as they are stored, and
 * those of single runs, which it passes on.
 */
function readClaimPauses(statements: Statements) {
  const paused = statements.all("SELECT scope, name FROM paused") as unknown as PauseOf[];
  const named = (wanted: PauseScope) =>
    paused.flatMap(({ scope, name }) => (scope === wanted ? [name] : []));
  const kinds = named("kind");
  const retries = named("retry");
  const runs = paused.filter(({ scope }) => scope === "handler" || scope === "target");
  return {
    all: paused.some(({ scope }) => scope === "all"),
    sources: new Set(named("source")),
    runs: runs.map(({ scope, name }): PauseOf => ({ scope, name: decodeText(name) })),
    /** Whether an entry is paused, whatever its source. */
    holds: (kind: string | null, reason: string | null) =>
      kinds.some((pattern) => kind !== null && matchesKind(pattern, kind)) ||
      retries.some((id) => reason === PACED + id),
  };
}

/** The sources to look at, as stored, that are not paused. */
export function unpausedSources(
  statements: Statements,
  sources: readonly string[] | undefined,
  { all, sources: paused }: ClaimPauses = readClaimPauses(statements),
): readonly string[] {
  return all ? [] : sourcesToServe(statements, sources).filter((source) => !paused.has(source));
}

/**
 * Makes a due entry that is paused due later, so that the next claims do not look at it again;
 * returns whether it is paused.
 */
export function deferIfPaused(
  statements: Statements,
  row: Row,
  { holds }: ClaimPauses,
  now: number,
) {
  const reason = row.reason as string | null;
  if (!holds(row.kind as string | null, reason)) return false;
  statements.run(
    "UPDATE entry SET state = 'waiting', lease = NULL, run_at = ?, reason = ? WHERE seq = ?",
    now + SET_ASIDE,
    retryOf(reason) === undefined ? PAUSED : reason,
    row.seq as number,
  );
  return true;
}

export function anyPaused(statements: Statements): boolean {
  return (
    statements.get(
      "SELECT 1 WHERE EXISTS (SELECT 1 FROM paused) OR EXISTS (SELECT 1 FROM pace)",
    ) !== undefined
  );
}

export function readPauses(statements: Statements): Pauses {
  const paused = statements.all("SELECT * FROM paused ORDER BY since, scope, name");
  const retries = statements.all(
    `SELECT pace.*, (SELECT count(*) FROM entry WHERE ${CLAIMABLE} AND state = 'waiting' AND reason = '${PACED}' || id) AS left_over
     FROM pace ORDER BY id`,
  );
  return { paused: paused.map(toPause), retries: retries.map(toRetry) };
}

export function pause(statements: Statements, { scope, name, since, who }: Pause): void {
  statements.run(
    `INSERT INTO paused (scope, name, since, who) VALUES (?, ?, ?, ?)
     ON CONFLICT (scope, name) DO UPDATE SET since = excluded.since, who = excluded.who`,
    scope,
    encodeText(name),
    since,
    encodeText(who),
  );
}

export function endPause(statements: Statements, { scope, name }: PauseOf): boolean {
  return (
    statements.run("DELETE FROM paused WHERE scope = ? AND name = ?", scope, encodeText(name)) > 0
  );
}

/**
 * Makes the next entries due that a pause held back, with a higher number than `after`, the first
 * of them at `from`; returns how many there were, and the last of them.
 */
export function release(
  statements: Statements,
  { scope, name }: PauseOf,
  after: number,
  from: number,
) {
  const isRetry = scope === "retry";
  const interval = isRetry
    ? Number(statements.get("SELECT interval_ms FROM pace WHERE id = ?", name)?.interval_ms ?? 0)
    : 0;
  const rows = statements.all(
    `UPDATE entry SET run_at = ? + CAST(? * n AS INTEGER)${isRetry ? "" : `, reason = NULL, state = ${STATE_WITHOUT_REASON}`}
     FROM (SELECT seq AS held, row_number() OVER (ORDER BY seq) - 1 AS n FROM entry
       WHERE ${CLAIMABLE} AND state = 'waiting' AND reason = ? AND seq > ? ORDER BY seq LIMIT ${PACE_STEP})
     WHERE seq = held RETURNING seq`,
    from,
    interval,
    isRetry ? PACED + name : PAUSED,
    after,
  );
  const until = from + interval * rows.length;
  if (isRetry) statements.run("UPDATE pace SET due_until = ? WHERE id = ?", Math.ceil(until), name);
  return {
    found: rows.length,
    last: Math.max(after, ...rows.map(({ seq }) => seq as number)),
    until,
  };
}

export function newRetry(
  statements: Statements,
  { since, who, interval, entries }: NewPacedRetry,
): number {
  const id = statements.insert(
    "INSERT INTO pace (since, who, interval_ms, entries, due_until) VALUES (?, ?, ?, ?, ?)",
    since,
    encodeText(who),
    interval,
    entries,
    Math.ceil(since + interval * entries),
  );
  return Number(id);
}

export function paceRetry(statements: Statements, { id, interval, seqs, from }: PaceStep): number {
  return statements.run(
    `UPDATE entry SET held_back = 0, run_at = ? + CAST(? * given.key AS INTEGER), reason = ?, problems = NULL,
       settled_at = NULL, attempts = iif(state = 'dead' OR state = 'received', 0, attempts),
       waits = iif(state = 'dead' OR state = 'received', NULL, waits), state = 'waiting'
     FROM json_each(?) AS given WHERE seq = given.value AND state <> 'running' AND state <> 'handled'`,
    from,
    interval,
    PACED + id,
    JSON.stringify(seqs),
  );
}

export function endRetry(statements: Statements, id: number): void {
  statements.run("DELETE FROM pace WHERE id = ?", id);
  endPause(statements, { scope: "retry", name: String(id) });
}
