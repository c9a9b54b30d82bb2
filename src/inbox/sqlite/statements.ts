import type { DatabaseSyncInstance, StatementSyncInstance } from "@photostructure/sqlite";
import type { Row } from "./rows.ts";

/** A value that a statement takes. */
export type Value = string | number | null | Uint8Array;

/** A database with its statements, each prepared once. */
export class Statements {
  readonly #database: DatabaseSyncInstance;
  readonly #prepared = new Map<string, StatementSyncInstance>();

  constructor(database: DatabaseSyncInstance) {
    this.#database = database;
  }

  /**
   * The one row, if there is one. Runs the statement to its end: one that is left in the middle makes whatever is written
   * next slow.
   */
  get(sql: string, ...values: Value[]): Row | undefined {
    return this.#prepare(sql).all(...values)[0] as Row | undefined;
  }

  /** Every row. */
  all(sql: string, ...values: Value[]): Row[] {
    return this.#prepare(sql).all(...values) as Row[];
  }

  /** Row by row; those before a failure too. */
  *iterate(sql: string): Generator<Row> {
    yield* this.#database.prepare(sql).iterate() as IterableIterator<Row>;
  }

  /** Runs a statement; gives how many rows it changed. */
  run(sql: string, ...values: Value[]): number {
    return Number(this.#prepare(sql).run(...values).changes);
  }

  /** Inserts a row; gives its number, `undefined` where none was inserted. */
  insert(sql: string, ...values: Value[]): number | undefined {
    const { changes, lastInsertRowid } = this.#prepare(sql).run(...values);
    return Number(changes) === 0 ? undefined : Number(lastInsertRowid);
  }

  /** Runs statements that are not worth preparing. */
  exec(sql: string): void {
    this.#database.exec(sql);
  }

  /** Whether a transaction is open: SQLite ends it by itself after some errors, such as a full disk. */
  get inTransaction(): boolean {
    return this.#database.isTransaction;
  }

  /** Closes the database. */
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
