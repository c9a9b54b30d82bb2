import type { ClaimRequest } from "../inbox.ts";
import { isDamage } from "./errors.ts";
import { WAITING } from "./index-conditions.ts";
import { sourcesToServe } from "./sources.ts";
import type { Statements } from "./statements.ts";

/** Entries that wait, looked at after a claim failed. */
const LOOKED_AT = 1000;

/** More damaged entries than one page holds: then it is not single entries that are damaged. */
const MOST = 100;

/** The entries whose delivery is on a damaged page, as far as they were met. */
export class DamagedDeliveries {
  readonly #seqs = new Set<number>();

  /** Their numbers. */
  get seqs(): readonly number[] {
    return [...this.#seqs];
  }

  /**
   * Finds out which deliveries made a claim fail, outside any transaction. Returns whether that explains it: some were
   * found, and not so many that it is more than single entries that are damaged.
   */
  explain(statements: Statements, { now, only, sources }: ClaimRequest): boolean {
    const sql = `SELECT seq FROM entry WHERE source = ? AND ${WAITING} AND run_at <= ? ORDER BY run_at, seq LIMIT ?`;
    const waiting = sourcesToServe(statements, sources).flatMap((source) =>
      statements.all(sql, source, now, LOOKED_AT).map(({ seq }) => seq as number),
    );
    const suspects = only === undefined ? waiting : [only];
    const found = suspects.filter((seq) => !this.#seqs.has(seq) && !canRead(statements, seq));
    if (found.length === 0 || this.#seqs.size + found.length > MOST) return false;
    for (const seq of found) this.#seqs.add(seq);
    return true;
  }
}

function canRead(statements: Statements, seq: number): boolean {
  try {
    statements.get("SELECT method, target, headers, body FROM delivery WHERE seq = ?", seq);
    return true;
  } catch (thrown) {
    if (isDamage(thrown)) return false;
    throw thrown;
  }
}
