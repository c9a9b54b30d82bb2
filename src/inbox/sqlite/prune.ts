import { REJECTED } from "../../event/identity.ts";
import { latestDates, stepResult } from "../prune.ts";
import type { PruneRequest, PruneStep, SlimRequest, StepResult } from "../prune-request.ts";
import { releaseNext } from "./order.ts";
import { servedBy } from "./sources.ts";
import type { Statements } from "./statements.ts";

/** Pages returned to the file system after a step: few, since a delivery may be waiting. */
const PAGES_GIVEN_BACK = 200;

export function pruneStep(
  statements: Statements,
  request: PruneRequest,
  step: PruneStep,
): StepResult {
  const { states, receivedUntil, datedUntil } = request;
  const isServed = servedBy(request.sources);
  // The newest entry always stays, since its number would be used again.
  const rows = statements.all(
    `SELECT seq, source, order_key, received_at, key_timestamp = ${REJECTED} AS never_ran,
       CASE key_timestamp WHEN ${REJECTED} THEN received_at ELSE coalesce(event_timestamp, received_at) END AS dated,
       state IN (SELECT value FROM json_each(?)) AND seq < (SELECT max(seq) FROM entry) AS ended
     FROM entry WHERE seq > ? ORDER BY seq LIMIT ?`,
    JSON.stringify(states),
    Number(step.cursor ?? 0),
    step.limit,
  );
  const old = rows.filter(({ received_at: at }) => (at as number) <= receivedUntil);
  const ended = old.filter((row) => row.ended === 1 && (row.dated as number) <= datedUntil);
  const pruned = ended.filter(isServed);
  for (const row of pruned) {
    for (const table of ["attempt", "delivery", "entry"])
      statements.run(`DELETE FROM ${table} WHERE seq = ?`, row.seq as number);
    releaseNext(statements, row);
  }
  for (const [source, dated] of latestDates(pruned)) statements.run(MARK_PRUNED, source, dated);
  statements.prunedUntil.clear();
  return stepResult(rows, old.length, pruned.length, step);
}

export function slimStep(
  statements: Statements,
  { settledUntil, sources }: SlimRequest,
  step: PruneStep,
) {
  const rows = statements.all(
    `SELECT seq, state, source, received_at, settled_at FROM delivery JOIN entry USING (seq)
     WHERE delivery.seq > ? ORDER BY delivery.seq LIMIT ?`,
    Number(step.cursor ?? 0),
    step.limit,
  );
  const old = rows.filter(({ received_at: at }) => (at as number) <= settledUntil);
  const handled = old
    .filter(
      ({ state, settled_at: at }) =>
        state === "handled" && at !== null && (at as number) <= settledUntil,
    )
    .filter(servedBy(sources));
  for (const { seq } of handled)
    statements.run("DELETE FROM delivery WHERE seq = ?", seq as number);
  return stepResult(rows, old.length, handled.length, step);
}

/** Returns a few of the pages that pruning freed to the file system, within a transaction. */
export function giveBackPages(statements: Statements): void {
  statements.exec(`PRAGMA incremental_vacuum(${PAGES_GIVEN_BACK})`);
}

export const MARK_PRUNED = `INSERT INTO pruned (source, dated_until) VALUES (?, ?)
  ON CONFLICT (source) DO UPDATE SET dated_until = max(dated_until, excluded.dated_until)`;
