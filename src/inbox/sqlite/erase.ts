import { hash } from "../../package/builtins.ts";
import type { Erasure } from "../erasure.ts";
import { KEY_COLUMNS } from "../keys-hash.ts";
import { ERASED } from "../reasons.ts";
import { releaseNext } from "./order.ts";
import type { Row } from "./rows.ts";
import type { Statements } from "./statements.ts";

const NO_BODY = hash("sha256", new Uint8Array(), "hex");

/**
 * Removes all of these entries but their keys, unless they run, within a transaction; returns the numbers of the others.
 * Whatever it frees is overwritten with zeros. A file of an older schema has no room for the proof.
 */
export function erase(statements: Statements, seqs: readonly number[], now: number): readonly number[] {
  statements.exec("PRAGMA secure_delete = ON");
  try {
    const columns = statements.all("SELECT name FROM pragma_table_info('entry')").map(({ name }) => name);
    const texts = ["order_key", "lease", "problems", "waits"].filter((name) => columns.includes(name));
    const strip = `UPDATE entry SET ${texts.map((name) => `${name} = NULL`).join(", ")}, state = 'done',
      reason = '${ERASED}', settled_at = coalesce(settled_at, ?), held_back = 0, finished_handlers = '[]', body_hash = '${NO_BODY}',
      body_length = 0 WHERE seq = ?`;
    const find = `SELECT source, order_key FROM entry
      WHERE seq = ? AND state <> 'running' AND NOT (state = 'done' AND reason IS '${ERASED}')`;
    const erased = seqs.filter((seq) => {
      const row = statements.get(find, seq);
      if (row === undefined) return false;
      statements.run(strip, now, seq);
      for (const table of ["attempt", "delivery"]) statements.run(`DELETE FROM ${table} WHERE seq = ?`, seq);
      releaseNext(statements, row);
      return true;
    });
    if (erased.length > 0 && keepsProofs(statements)) record(statements, erased, now);
    return erased;
  } finally {
    statements.exec("PRAGMA secure_delete = FAST");
  }
}

function keepsProofs(statements: Statements): boolean {
  return statements.get("SELECT 1 FROM sqlite_schema WHERE name = 'erasure'") !== undefined;
}

function record(statements: Statements, erased: readonly number[], now: number): void {
  const begin = "INSERT INTO erasure (erased_at, entries) VALUES (?, 0)";
  const id = openErasure(statements) ?? statements.insert(begin, now) ?? 0;
  const insert = "INSERT INTO erased SELECT value, ? FROM json_each(?)";
  statements.run(insert, id, JSON.stringify(erased));
}

/** The erasure that has not ended: that of an earlier call goes on, if its process was killed. */
export function openErasure(statements: Statements): number | undefined {
  return statements.get("SELECT id FROM erasure WHERE keys_hash IS NULL")?.id as number | undefined;
}

/** The keys of some entries of an erasure, in order. */
export function erasedKeys(statements: Statements, id: number, after: number): readonly Row[] {
  return statements.all(
    `SELECT ${KEY_COLUMNS} FROM erased JOIN entry USING (seq) WHERE erasure = ? AND seq > ? ORDER BY seq LIMIT 1000`,
    ...[id, after],
  );
}

/** Keeps the proof of an erasure, within a transaction; forgets erased entries that were pruned since. */
export function endErasure(
  statements: Statements,
  id: number,
  { erasedAt, entries, keysHash }: Erasure,
): void {
  const sql = "UPDATE erasure SET erased_at = ?, entries = ?, keys_hash = ? WHERE id = ?";
  statements.run(sql, erasedAt, entries, keysHash, id);
  statements.run("DELETE FROM erased WHERE seq NOT IN (SELECT seq FROM entry)");
}
