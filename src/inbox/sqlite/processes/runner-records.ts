import { toRunner } from "../../rows.ts";
import type { Runner } from "../../runner.ts";
import { CLAIMABLE } from "../index-conditions.ts";
import { sourcesToServe } from "../sources.ts";
import type { Statements } from "../statements.ts";

export function recordRunner(statements: Statements, runner: Runner, now: number): void {
  const { id, version, role, sources, kinds } = runner;
  statements.run(
    `INSERT INTO runner (id, since, version, role, sources, kinds) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET role = excluded.role, sources = excluded.sources, kinds = excluded.kinds`,
    id,
    now,
    version,
    role,
    JSON.stringify(sources),
    JSON.stringify(kinds),
  );
}

/**
 * Deletes the records of dead processes, and ends their leases, so that their entries are due;
 * returns how many.
 */
export function forgetRunners(statements: Statements, ids: readonly string[], now: number): number {
  const sources = sourcesToServe(statements, undefined);
  // Leases that have expired are due already.
  const end = `UPDATE entry SET run_at = ? WHERE source = ? AND ${CLAIMABLE} AND run_at > ?
    AND state = 'running' AND substr(lease, 1, length(?)) = ?`;
  let ended = 0;
  for (const id of ids) {
    const start = `${id}.`;
    for (const source of sources) ended += statements.run(end, now, source, now, start, start);
    statements.run("DELETE FROM runner WHERE id = ?", id);
  }
  return ended;
}

export function otherRunners(statements: Statements, own: string | undefined): readonly Runner[] {
  return statements.all("SELECT * FROM runner WHERE id <> ?", own ?? "").map(toRunner);
}
