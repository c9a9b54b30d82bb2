import { closeSync, fsyncSync, openSync } from "node:fs";
import { PER_MILLISECOND } from "../events.ts";

/** Rows per transaction. */
const AT_ONCE = 1_000_000;

/** Columns of times, which grow with the number of an entry. */
const TIMES: readonly string[] = [
  "key_timestamp",
  "event_timestamp",
  "received_at",
  "last_seen_at",
  "run_at",
  "settled_at",
];

/**
 * Adds copies of all entries of a closed inbox file until there are `count`, each with an event id
 * of its own and later times. Several times as fast as keeping them one by one.
 */
export async function copyEntries(path: string, count: number): Promise<void> {
  // Node's own SQLite from the version on that the inbox uses it from; its types are those of the
  // package.
  const own = "node:sqlite";
  const { DatabaseSync } = (await import(own).catch(
    () => import("@photostructure/sqlite"),
  )) as typeof import("@photostructure/sqlite");
  const database = new DatabaseSync(path);
  try {
    // Without a log, since a file that was not filled completely is thrown away.
    database.exec(
      "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -200000",
    );
    const kept = Number(database.prepare("SELECT max(seq) AS n FROM entry").get()?.n);
    const statements = ["entry", "delivery"].map((table) => {
      const columns = database
        .prepare(`PRAGMA table_info(${table})`)
        .all()
        .map(({ name }) => String(name));
      const values = columns.map(copyOf).join(", ");
      const rows = `SELECT ${values} FROM ${table} WHERE seq > ?3 AND seq <= ?4`;
      return database.prepare(`INSERT INTO ${table} (${columns.join(", ")}) ${rows}`);
    });
    for (let copied = kept; copied < count; ) {
      const after = copied % kept;
      const rows = Math.min(AT_ONCE, count - copied, kept - after);
      const later = Math.ceil((copied - after) / PER_MILLISECOND);
      database.exec("BEGIN");
      for (const statement of statements) statement.run(copied - after, later, after, after + rows);
      database.exec("COMMIT");
      copied += rows;
    }
    database.exec("PRAGMA journal_mode = WAL");
  } finally {
    database.close();
  }
  const file = openSync(path, "r+");
  fsyncSync(file); // now, since the first commit to be measured would have to wait for it
  closeSync(file);
}

/** Of a copied row: ?1 is added to its number, ?2 to its times. */
function copyOf(column: string): string {
  if (column === "seq") return "seq + ?1";
  if (column === "event_id") return "'evt_1_' || lower(hex(randomblob(20)))";
  return TIMES.includes(column) ? `${column} + ?2` : column;
}
