import type { DatabaseSyncInstance } from "@photostructure/sqlite";

// Schema changes of a table with rows, which none of its rows need be read for. SQLite's own statements read them all:
// CREATE INDEX to find those that the index has, and ALTER TABLE ADD COLUMN to check them, if the table is STRICT. What is
// left in the file is the same, letter for letter.

/** The table to build an index on. It has all columns of `entry` that an index of {@link createIndexInPlace} has. */
const STAND_IN = `CREATE TABLE stand_in (
  seq INTEGER PRIMARY KEY,
  source TEXT NOT NULL,
  state TEXT NOT NULL,
  held_back INTEGER NOT NULL,
  run_at INTEGER NOT NULL,
  waits TEXT
) STRICT`;

/**
 * Adds nullable columns to a STRICT table, within a transaction, as ALTER TABLE does: in the text of its schema. Rows that
 * end before such a column have NULL there.
 *
 * @param columns - their definitions, separated by commas
 */
export function addColumnsInPlace(database: DatabaseSyncInstance, table: string, columns: string): void {
  editSchema(
    database,
    `UPDATE sqlite_schema SET sql = substr(sql, 1, length(sql) - length(') STRICT')) || ', ${columns}) STRICT'
     WHERE type = 'table' AND name = '${table}' AND sql LIKE '%) STRICT'`,
  );
}

/**
 * Creates a partial index of `entry`, within a transaction. It is built on another table, with only the rows that it has, and
 * then handed over.
 *
 * @param sql - its definition: `CREATE INDEX name ON entry …`
 * @param rows - selects the rows that the index has: `FROM entry …`; none by default
 */
export function createIndexInPlace(database: DatabaseSyncInstance, sql: string, rows?: string): void {
  const [name = "", condition = ""] =
    /^CREATE INDEX (\w+) ON entry .* WHERE (.*)$/s.exec(sql)?.slice(1) ?? [];
  database.exec(STAND_IN);
  if (rows !== undefined) {
    const columns = "seq, source, state, held_back, run_at";
    database.exec(`INSERT INTO stand_in (${columns}) SELECT ${columns} ${rows} WHERE ${condition}`);
  }
  database.exec(sql.replace(" ON entry ", " ON stand_in "));
  editSchema(
    database,
    `UPDATE sqlite_schema SET tbl_name = 'entry', sql = '${sql.replaceAll("'", "''")}'
     WHERE type = 'index' AND name = '${name}'`,
  );
  database.exec("DROP TABLE stand_in");
}

/** Edits the text of the schema. Other connections notice once a statement that changes the schema follows. */
function editSchema(database: DatabaseSyncInstance, sql: string): void {
  // Node 22 has no such flag, and then it is off.
  const { enableDefensive }: Partial<Pick<DatabaseSyncInstance, "enableDefensive">> = database;
  enableDefensive?.call(database, false);
  try {
    database.exec(`PRAGMA writable_schema = ON; ${sql}`);
  } finally {
    database.exec("PRAGMA writable_schema = RESET"); // turns it off and reads the schema again
    enableDefensive?.call(database, true);
  }
}
