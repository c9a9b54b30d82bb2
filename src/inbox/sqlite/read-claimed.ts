import { isErrorNamed } from "../../base/guards.ts";
import { hash } from "../../base/package/builtins.ts";
import { tryOr } from "../../base/try-or.ts";
import { type Delivery, noDelivery } from "../../event/delivery.ts";
import type { ClaimedEntry, Lease } from "../claim.ts";
import { finishedNames } from "../inline-runs.ts";
import { type Row, readHeaders, toClaimed } from "../rows.ts";
import type { Statements } from "./statements.ts";

export const CLAIM_COLUMNS =
  "seq, key_timestamp, event_id, source, kind, state, reason, order_key, received_at, run_at, attempts, " +
  "finished_handlers, waits, body_hash";

/** A delivery, from a row of `delivery` and its entry's `received_at`. */
export function toDelivery(row: Row, receivedAt = row.received_at): Delivery {
  return {
    method: row.method as string,
    target: row.target as string,
    headers: readHeaders(row.headers),
    body: row.body as Uint8Array,
    receivedAt: receivedAt as number,
  };
}

/**
 * An entry that was just leased, with its delivery. If the delivery is not what was received, the
 * entry is marked as unreadable, since it must not stop others from being claimed.
 *
 * @param damaged - entries whose delivery is on a damaged page and must not be read: once a
 * transaction has met damage, SQLite allows no more writes in it
 */
export function readClaimed(
  statements: Statements,
  row: Row,
  lease: Lease,
  damaged: ReadonlySet<number>,
) {
  if (damaged.has(row.seq as number)) return unreadable(row, lease, "the page it is on is damaged");
  try {
    const stored = statements.get(
      "SELECT method, target, headers, body FROM delivery WHERE seq = ?",
      row.seq as number,
    );
    if (stored === undefined) return unreadable(row, lease, "it has no delivery");
    const delivery = toDelivery(stored, row.received_at);
    if (hash("sha256", delivery.body, "hex") === row.body_hash) {
      return toClaimed(row, lease, (row.attempts as number) + 1, delivery);
    }
    return unreadable(row, lease, "its body is not what was received");
  } catch (thrown) {
    if (isErrorNamed("SyntaxError", thrown))
      return unreadable(row, lease, "its headers are not JSON");
    throw thrown;
  }
}

function unreadable(row: Row, lease: Lease, why: string): ClaimedEntry {
  const finished = isList(row.finished_handlers) ? row.finished_handlers : "[]";
  const nothing = noDelivery(row.received_at as number);
  const attempt = (row.attempts as number) + 1;
  const claimed = toClaimed({ ...row, finished_handlers: finished }, lease, attempt, nothing);
  return { ...claimed, unreadable: why };
}

function isList(stored: unknown): boolean {
  return tryOr(() => {
    finishedNames(stored);
    return true;
  }, false);
}
