import type { DatabaseSyncInstance, StatementSyncInstance } from "@photostructure/sqlite";
import type { Row } from "../rows.ts";
import { BUSY_TIMEOUT } from "./client.ts";

export type Value = string | number | null | Uint8Array;

/** A database that prepares each statement once. */
export class Statements {
  readonly #database: DatabaseSyncInstance;
  readonly #prepared = new Map<string, StatementSyncInstance>();
  /** How long a statement waits for locks: milliseconds. */
  lockWait = BUSY_TIMEOUT;
  /** Dates of pruned events by source, as this transaction knows them. */
  readonly prunedUntil = new Map<string, number>();

  constructor(database: DatabaseSyncInstance) {
    this.#database = database;
  }

  /**
   * The first row, if any. Runs the statement to its end: an unfinished one makes the next write
   * slow.
   */
  get(sql: string, ...values: Value[]): Row | undefined {
    return this.#prepare(sql).all(...values)[0] as Row | undefined;
  }

  all(sql: string, ...values: Value[]): Row[] {
    return this.#prepare(sql).all(...values) as Row[];
  }

  /** Yields row by row, so that the rows before a failure are not lost. */
  *iterate(sql: string): Generator<Row> {
    yield* this.#database.prepare(sql).iterate() as IterableIterator<Row>;
  }

  /** Runs a statement; returns how many rows it changed. */
  run(sql: string, ...values: Value[]): number {
    return Number(this.#prepare(sql).run(...values).changes);
  }

  /** Inserts a row; returns its number, or `undefined` if none was inserted. */
  insert(sql: string, ...values: Value[]): number | undefined {
    const { changes, lastInsertRowid } = this.#prepare(sql).run(...values);
    return Number(changes) === 0 ? undefined : Number(lastInsertRowid);
  }

  insertRow(table: string, row: Readonly<Record<string, Value>>): void {
    const columns = Object.keys(row);
    const values = columns.map(() => "?").join(", ");
    this.run(
      `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${values})`,
      ...Object.values(row),
    );
  }

  /**
   * Sets for how many milliseconds a statement waits for the locks of other connections, blocking
   * this thread.
   */
  waitForLocks(ms: number): void {
    if (ms === this.lockWait) return;
    this.exec(`PRAGMA busy_timeout = ${ms}`);
    this.lockWait = ms;
  }

  /** Begins a transaction that writes; what an earlier one knew may have changed since. */
  begin(): void {
    this.prunedUntil.clear();
    this.run("BEGIN IMMEDIATE");
  }

  /** Runs work in a transaction that writes. */
  transaction<Result>(work: () => Result): Result {
    this.begin();
    try {
      const result = work();
      this.run("COMMIT");
      return result;
    } catch (thrown) {
      if (this.inTransaction) this.run("ROLLBACK");
      throw thrown;
    }
  }

  /** Runs statements that are not worth preparing. */
  exec(sql: string): void {
    this.#database.exec(sql);
  }

  /** Writes all that this connection sees into an empty file, in one transaction. */
  copyInto(file: string): void {
    this.exec(`VACUUM INTO '${file.replaceAll("'", "''")}'`);
  }

  pragma(name: string): unknown {
    return Object.values(this.get(`PRAGMA ${name}`) ?? {})[0];
  }

  /**
   * Whether a transaction is open: SQLite itself ends it after some errors, such as a full disk.
   */
  get inTransaction(): boolean {
    return this.#database.isTransaction;
  }

  close(): void {
    this.#prepared.clear();
    this.#database.close();
  }

  #prepare(sql: string): StatementSyncInstance {
    let statement = this.#prepared.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      this.#prepared.set(sql, statement);
    }
    return statement;
  }
}

export function closing<Result>(
  database: DatabaseSyncInstance,
  work: (statements: Statements) => Result,
) {
  const statements = new Statements(database);
  try {
    return work(statements);
  } finally {
    statements.close();
  }
}
