import { createHash } from "node:crypto";
import { join } from "node:path";
import { loadSqlite } from "../../../../src/inbox/sqlite/client.ts";
import { makeTables } from "../../../../src/inbox/sqlite/file/inbox-file.ts";
import { Statements } from "../../../../src/inbox/sqlite/statements.ts";
import { tempFolder } from "../../../cli/fake-io.ts";
import { AT } from "../../entries.ts";

/** The text of a delivery's body, of which a page has about fifteen. */
export const textOf = (seq: number) => `body of ${seq};`;

/**
 * Makes an inbox file with `count` entries, numbered from 1; `columns` replaces columns of an
 * entry.
 */
export function fileOf(
  count: number,
  columns: (seq: number) => Record<string, string | number | null> = () => ({}),
): string {
  const path = join(tempFolder(), "inbox.db");
  makeTables(path, AT);
  const statements = new Statements(new (loadSqlite().DatabaseSync)(path));
  statements.transaction(() => {
    for (let seq = 1; seq <= count; seq++) {
      const body = Buffer.from(textOf(seq).padEnd(200));
      const hash = {
        body_hash: createHash("sha256").update(body).digest("hex"),
        body_length: body.length,
      };
      const key = { seq, key_timestamp: AT, event_id: `evt_${seq}`, source: "s", received_at: AT };
      const rest = { state: "handled", run_at: AT, last_seen_at: AT, ...hash, ...columns(seq) };
      statements.insertRow("entry", { ...key, ...rest });
      statements.insertRow("delivery", { seq, method: "POST", target: "/", headers: "{}", body });
    }
  });
  statements.get("PRAGMA wal_checkpoint(TRUNCATE)");
  statements.close();
  return path;
}
