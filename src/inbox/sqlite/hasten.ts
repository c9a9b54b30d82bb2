import type { EntryFilter } from "../entry-filter.ts";
import { AWAITS_HANDLER, NO_HANDLER } from "../runner.ts";
import { filterSql } from "./filter.ts";
import { WAITING } from "./index-conditions.ts";
import { sourcesToServe } from "./sources.ts";
import type { Statements } from "./statements.ts";

/**
 * Makes entries due that wait for a process with a handler, within a transaction; returns how many. Looks only at those
 * that are due later, which are few.
 */
export function hasten(
  statements: Statements,
  { sources, kinds }: Pick<EntryFilter, "sources" | "kinds">,
  now: number,
): number {
  const { where, values } = filterSql(kinds === undefined ? {} : { kinds });
  const sql = `UPDATE entry SET run_at = ?, reason = NULL WHERE source = ? AND ${WAITING} AND run_at > ?
    AND state = 'pending' AND reason IN ('${NO_HANDLER}', '${AWAITS_HANDLER}') AND ${where}`;
  let hastened = 0;
  for (const source of sourcesToServe(statements, sources)) {
    hastened += statements.run(sql, now, source, now, ...values);
  }
  return hastened;
}
