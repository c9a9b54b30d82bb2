import { describeError } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import type { DedupKey } from "../../event/identity.ts";
import { keyColumns } from "../rows.ts";
import type { Store } from "./store.ts";

/** A standby lags by seconds; entries that were kept earlier may rightly be pruned or erased. */
const LATELY = 10 * 60_000;
const MOST = 10_000;

const MISSING = `
  SELECT n FROM json_to_recordset($1::text::json) AS kept(n int, key_timestamp bigint, event_id text, source text)
  WHERE NOT EXISTS (
    SELECT FROM @.entry
    WHERE (entry.key_timestamp, entry.event_id, entry.source) = (kept.key_timestamp, kept.event_id, kept.source)
  )`;

/**
 * What this process acknowledged lately. If the database comes back as an older copy of itself,
 * such as a standby that lagged when it was promoted, or a restored backup, acknowledged entries
 * are gone. Nothing here can bring them back, but the service can send them again, so the log says
 * how many there are.
 */
export function keptLately() {
  let kept: { readonly key: DedupKey; readonly at: number }[] = [];
  const add = (key: DedupKey, at: number): void => {
    kept.push({ key, at });
    if (kept.length > 2 * MOST) kept = kept.slice(-MOST);
  };
  /**
   * Looks for all of them, after the database was away, and says what is missing. Each is reported
   * once.
   */
  const look = async (store: Store, now: number, log: Logger | undefined): Promise<void> => {
    const latest = kept.slice(-MOST).filter(({ at }) => at > now - LATELY);
    if (latest.length === 0) return;
    const rows = latest.map(({ key }, n) => ({ n, ...keyColumns(key) }));
    try {
      const found = await store.query(MISSING, [JSON.stringify(rows)]);
      const missing = new Set(found.flatMap(({ n }) => latest[Number(n)] ?? []));
      if (missing.size === 0) return;
      // Those that were kept meanwhile stay, and those that are there: it may come back older once
      // more.
      kept = kept.filter((entry) => !missing.has(entry));
      const since = Math.min(...[...missing].map(({ at }) => at));
      log?.error(
        { missing: missing.size, of: latest.length, since: new Date(since).toISOString() },
        "acknowledged entries are missing: the database has come back as an older copy of itself, such as a standby that " +
          "lagged or a restored backup; ask the service to send again what it has sent since then",
      );
    } catch (thrown) {
      log?.debug({ error: describeError(thrown) }, "could not look for recently kept entries");
    }
  };
  return { add, look };
}
