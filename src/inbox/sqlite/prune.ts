import { REJECTED } from "../../event/identity.ts";
import type { PruneRequest, SlimRequest, Step, StepResult } from "../inbox.ts";
import { releaseNext } from "./order.ts";
import type { Row } from "./rows.ts";
import type { Statements } from "./statements.ts";

/** Pages given back to the file system after a step: few, since a delivery may be waiting. */
const PAGES_GIVEN_BACK = 200;

/** Until when events may be dated that were dropped: one that is not known is not taken for new then. */
export const PRUNED_UNTIL = "(SELECT dated_until FROM pruned)";

/** Drops ended entries with all that belongs to them, within a transaction. */
export function pruneStep(statements: Statements, request: PruneRequest, step: Step): StepResult {
  const { states, receivedUntil, datedUntil } = request;
  // The newest entry stays, whatever it is, since its number would be given again.
  const rows = statements.all(
    `SELECT seq, source, order_key, received_at, key_timestamp = ${REJECTED} AS never_ran,
       CASE key_timestamp WHEN ${REJECTED} THEN received_at ELSE coalesce(event_timestamp, received_at) END AS dated,
       state IN (SELECT value FROM json_each(?)) AND seq < (SELECT max(seq) FROM entry) AS ended
     FROM entry WHERE seq > ? ORDER BY seq LIMIT ?`,
    ...[JSON.stringify(states), step.after, step.limit],
  );
  const old = rows.filter(({ received_at: at }) => (at as number) <= receivedUntil);
  const dropped = old.filter(({ ended, dated }) => ended === 1 && (dated as number) <= datedUntil);
  for (const row of dropped) drop(statements, row);
  // A rejected delivery never ran, whatever its date: only events must not be taken for new again.
  const dates = dropped.flatMap(({ never_ran, dated }) => (never_ran === 1 ? [] : [dated as number]));
  if (dates.length > 0) {
    statements.run("UPDATE pruned SET dated_until = max(dated_until, ?)", Math.max(...dates));
  }
  return result(rows, old.length, dropped.length, step);
}

/** Drops the deliveries of entries that are done, within a transaction. */
export function slimStep(statements: Statements, { settledUntil }: SlimRequest, step: Step): StepResult {
  const rows = statements.all(
    `SELECT seq, state, received_at, settled_at FROM delivery JOIN entry USING (seq)
     WHERE delivery.seq > ? ORDER BY delivery.seq LIMIT ?`,
    ...[step.after, step.limit],
  );
  const old = rows.filter(({ received_at: at }) => (at as number) <= settledUntil);
  const done = old.filter(
    ({ state, settled_at: at }) => state === "done" && at !== null && (at as number) <= settledUntil,
  );
  for (const { seq } of done) statements.run("DELETE FROM delivery WHERE seq = ?", seq as number);
  return result(rows, old.length, done.length, step);
}

/** Gives a few of the pages that pruning freed back to the file system, within a transaction. */
export function giveBackPages(statements: Statements): void {
  statements.exec(`PRAGMA incremental_vacuum(${PAGES_GIVEN_BACK})`);
}

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
