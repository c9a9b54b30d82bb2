import { CLAIMABLE, ORDERED } from "../index-conditions.ts";
import type { Statements } from "../statements.ts";
import { canRead } from "./damaged-deliveries.ts";

/** Maximum milliseconds of the check: a large inbox must not start slower than a small one. */
export const BUDGET = 200;

/** Entries checked among those waiting, and sampled from the whole file. */
const WAITING_LOOKED_AT = 200;
const SAMPLES = 48;

/**
 * Reads what claims read, and a sample of entries from the whole file, within the budget. Returns
 * whether all their deliveries could be read.
 *
 * @throws SQLite's error if damage stops entries from being kept or run
 */
export function checkAtStart(statements: Statements): boolean {
  const end = performance.now() + BUDGET;
  const waiting = `SELECT seq FROM entry WHERE ${CLAIMABLE} ORDER BY source, run_at, seq LIMIT ?`;
  const ordered = `SELECT seq FROM entry WHERE ${ORDERED} ORDER BY order_key, source, seq LIMIT ?`;
  const seqs = [waiting, ordered].flatMap((sql) => statements.all(sql, WAITING_LOOKED_AT));
  statements.all("SELECT * FROM pruned");
  statements.all("SELECT * FROM runner");
  let readable = true;
  for (const seq of [...newestAndSample(statements), ...seqs.map((row) => row.seq as number)]) {
    if (performance.now() > end) break;
    const entry = statements.get("SELECT * FROM entry WHERE seq >= ? ORDER BY seq LIMIT 1", seq);
    if (entry === undefined) continue;
    const key = [
      entry.key_timestamp as number,
      entry.event_id as string,
      entry.source as string,
    ] as const;
    statements.get(
      "SELECT seq FROM entry WHERE key_timestamp = ? AND event_id = ? AND source = ?",
      ...key,
    );
    readable &&= REST.every((sql) => canRead(statements, sql, entry.seq as number));
  }
  return readable;
}

/** The newest entry, after which the next one is inserted, and others at even distances. */
function newestAndSample(statements: Statements): readonly number[] {
  const { first, last } = statements.get(
    "SELECT coalesce((SELECT min(seq) FROM entry), 0) AS first, coalesce((SELECT max(seq) FROM entry), 0) AS last",
  ) as { first: number; last: number };
  const step = (last - first) / SAMPLES;
  return Array.from({ length: SAMPLES + 1 }, (_, index) => Math.round(last - index * step));
}

/** What a run reads of an entry besides itself. */
const REST = [
  "SELECT method, substr(body, 1, 1) FROM delivery WHERE seq = ?",
  "SELECT count(*) FROM attempt WHERE seq = ?",
];
