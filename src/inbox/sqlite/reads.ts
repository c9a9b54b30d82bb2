import type { Delivery } from "../../event/delivery.ts";
import type { AttemptRecord } from "../attempt-record.ts";
import { ENTRY_STATES, type Entry, type EntryFilter, type EntryState } from "../inbox.ts";
import { filterSql } from "./filter.ts";
import { toAttempt, toDelivery, toEntry } from "./rows.ts";
import type { Statements } from "./statements.ts";

/** Entries in order of arrival; with a limit the newest, oldest of them first. */
export function listEntries(statements: Statements, filter: EntryFilter): readonly Entry[] {
  const { where, values } = filterSql(filter);
  const sql = `SELECT * FROM entry WHERE ${where} ORDER BY seq DESC LIMIT ?`;
  return statements
    .all(sql, ...values, filter.limit ?? -1)
    .reverse()
    .map(toEntry);
}

/** An entry's delivery; `undefined` if there is no such entry, or it was slimmed. */
export function deliveryOfEntry(statements: Statements, seq: number): Delivery | undefined {
  const sql =
    "SELECT method, target, headers, body, received_at FROM delivery JOIN entry USING (seq) WHERE seq = ?";
  const row = statements.get(sql, seq);
  return row === undefined ? undefined : toDelivery(row);
}

/** The runs of an entry's handlers, oldest first. */
export function attemptsOfEntry(statements: Statements, seq: number): readonly AttemptRecord[] {
  return statements.all("SELECT * FROM attempt WHERE seq = ? ORDER BY rowid", seq).map(toAttempt);
}

/** The number of entries in each state. */
export function countByState(statements: Statements): Readonly<Record<EntryState, number>> {
  const none = ENTRY_STATES.map((state) => [state, 0] as const);
  const rows = statements.all("SELECT state, count(*) AS n FROM entry GROUP BY state");
  const found = rows.map(({ state, n }) => [state as EntryState, n as number] as const);
  return Object.fromEntries([...none, ...found]) as Record<EntryState, number>;
}
