import { REJECTED } from "../../event/identity.ts";
import type { PruneRequest, SlimRequest, Step, StepResult } from "../prune-request.ts";
import { releaseNext } from "./order.ts";
import type { Row } from "./rows.ts";
import { servedBy } from "./sources.ts";
import type { Statements } from "./statements.ts";

/** Pages given back to the file system after a step: few, since a delivery may be waiting. */
const PAGES_GIVEN_BACK = 200;

/**
 * Until when events of a source may be dated that were dropped: one that is not known is not taken for new then. The mark
 * of files before version 3 is one for all sources.
 */
export const PRUNED_UNTIL = `max(
  (SELECT dated_until FROM pruned),
  coalesce((SELECT dated_until FROM pruned_source WHERE source = ?), ${Number.MIN_SAFE_INTEGER}))`;

/** Drops ended entries with all that belongs to them, within a transaction. */
export function pruneStep(statements: Statements, request: PruneRequest, step: Step): StepResult {
  const { states, receivedUntil, datedUntil } = request;
  const isServed = servedBy(request.sources);
  // The newest entry stays, whatever it is, since its number would be given again.
  const rows = statements.all(
    `SELECT seq, source, order_key, received_at, key_timestamp = ${REJECTED} AS never_ran,
       CASE key_timestamp WHEN ${REJECTED} THEN received_at ELSE coalesce(event_timestamp, received_at) END AS dated,
       state IN (SELECT value FROM json_each(?)) AND seq < (SELECT max(seq) FROM entry) AS ended
     FROM entry WHERE seq > ? ORDER BY seq LIMIT ?`,
    ...[JSON.stringify(states), step.after, step.limit],
  );
  const old = rows.filter(({ received_at: at }) => (at as number) <= receivedUntil);
  const ended = old.filter((row) => row.ended === 1 && (row.dated as number) <= datedUntil);
  const dropped = ended.filter(isServed);
  const latest = new Map<string, number>();
  for (const row of dropped) {
    drop(statements, row);
    // A rejected delivery never ran, whatever its date: only events must not be taken for new again.
    const source = row.source as string;
    if (row.never_ran !== 1)
      latest.set(source, Math.max(latest.get(source) ?? -Infinity, row.dated as number));
  }
  for (const [source, dated] of latest) statements.run(MARK_PRUNED, source, dated);
  return result(rows, old.length, dropped.length, step);
}

/** Drops the deliveries of entries that are done, within a transaction. */
export function slimStep(
  statements: Statements,
  { settledUntil, sources }: SlimRequest,
  step: Step,
): StepResult {
  const rows = statements.all(
    `SELECT seq, state, source, received_at, settled_at FROM delivery JOIN entry USING (seq)
     WHERE delivery.seq > ? ORDER BY delivery.seq LIMIT ?`,
    ...[step.after, step.limit],
  );
  const old = rows.filter(({ received_at: at }) => (at as number) <= settledUntil);
  const done = old
    .filter(({ state, settled_at: at }) => state === "done" && at !== null && (at as number) <= settledUntil)
    .filter(servedBy(sources));
  for (const { seq } of done) statements.run("DELETE FROM delivery WHERE seq = ?", seq as number);
  return result(rows, old.length, done.length, step);
}

/** Gives a few of the pages that pruning freed back to the file system, within a transaction. */
export function giveBackPages(statements: Statements): void {
  statements.exec(`PRAGMA incremental_vacuum(${PAGES_GIVEN_BACK})`);
}

const MARK_PRUNED = `INSERT INTO pruned_source (source, dated_until) VALUES (?, ?)
  ON CONFLICT (source) DO UPDATE SET dated_until = max(dated_until, excluded.dated_until)`;

function drop(statements: Statements, row: Row): void {
  const seq = row.seq as number;
  statements.run("DELETE FROM attempt WHERE seq = ?", seq);
  statements.run("DELETE FROM delivery WHERE seq = ?", seq);
  statements.run("DELETE FROM entry WHERE seq = ?", seq);
  releaseNext(statements, row);
}

/** Entries stand in order of arrival: a whole step of too young ones means that there are no older ones behind. */
function result(rows: readonly Row[], old: number, changed: number, { limit }: Step): StepResult {
  const last = rows.at(-1)?.seq as number | undefined;
  return { changed, next: rows.length < limit || old === 0 ? undefined : last };
}
