import { setTimeout as delay } from "node:timers/promises";
import type { Row } from "../rows.ts";
import { inboxError, isConflict } from "./errors.ts";
import type { PostgresSession, Query, Value } from "./session.ts";

/** Milliseconds after which a statement that a sender waits for is given up. */
export const TIMEOUT = 5000;
/** The same for work in the background. */
export const LONG_TIMEOUT = 10 * 60_000;
/** Lifts a role's time limit, for the rest of a transaction that makes tables. */
export const LIFT_LIMIT = "SET LOCAL statement_timeout = 0";
/** How often a transaction runs that another one made impossible. */
const ATTEMPTS = 4;

/**
 * The inbox's schema in a database. In its SQL, `@.` stands for the schema: it is always named,
 * never searched for. Functions are PostgreSQL's own.
 */
export class Store {
  readonly schema: string;
  /** How messages name the inbox. */
  readonly name: string;
  /** Whether a statement by itself is READ COMMITTED: see `default_transaction_isolation`. */
  readsCommitted = true;
  readonly #session: PostgresSession;
  readonly #texts = new Map<string, string>();

  constructor(
    session: PostgresSession,
    { schema, name }: { readonly schema: string; readonly name: string },
  ) {
    this.#session = session;
    this.schema = schema;
    this.name = name;
  }

  query(text: string, values: readonly Value[] = [], timeout = TIMEOUT): Promise<readonly Row[]> {
    return this.#again(() => this.#session.query(this.sql(text), values, timeout));
  }

  /** The number that a statement returns; 0 if it returns none. */
  async number(text: string, values: readonly Value[] = [], timeout = TIMEOUT): Promise<number> {
    const [row] = await this.query(text, values, timeout);
    return Number(Object.values(row ?? {})[0] ?? 0);
  }

  transaction<Result>(run: (query: Query) => Promise<Result>, timeout = TIMEOUT): Promise<Result> {
    return this.#again(() =>
      this.#session.transaction(
        (query) => run((text, values) => query(this.sql(text), values)),
        timeout,
      ),
    );
  }

  async close(): Promise<void> {
    await this.#session.close();
  }

  async #again<Result>(work: () => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work();
      } catch (thrown) {
        if (!isConflict(thrown) || attempt === ATTEMPTS) throw inboxError(this.name, thrown);
        await delay(attempt * 10 * Math.random());
      }
    }
  }

  sql(text: string): string {
    let sql = this.#texts.get(text);
    if (sql === undefined) {
      sql = named(text, this.schema);
      if (this.#texts.size < 200) this.#texts.set(text, sql);
    }
    return sql;
  }
}

/** A call of a function, unless its name is a keyword's, qualified, or given to a column list. */
const CALL =
  /(?<![\w.@"'$]|\bAS )(?!(?:coalesce|extract|greatest|least|nullif|substring)\()[a-z]\w*\(/g;

/**
 * SQL with its names in full. A function of the schema `public`, where others may create some,
 * would otherwise be called instead of PostgreSQL's if its types fit better. No session has a
 * search_path of its own, since a pooler or a handler may use its connection next.
 */
export function named(text: string, schema: string): string {
  return text.replace(CALL, "pg_catalog.$&").replaceAll("@.", `"${schema}".`);
}
