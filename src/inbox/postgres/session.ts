import type { Row } from "../rows.ts";
import { PARSERS, type Parser, TYPES } from "./column-types.ts";
import { isOfStandby, stateOf } from "./errors.ts";
import type { PostgresResult, PostgresStatement, Statements } from "./transaction.ts";

export type Value =
  | string
  | number
  | boolean
  | null
  | Uint8Array
  | readonly string[]
  | readonly number[];

/** Runs one statement with positional parameters, `$1` and so on. */
export type Query = (text: string, values?: readonly Value[]) => Promise<readonly Row[]>;

/**
 * What the inbox asks of a client. No named statements and no state of a session, so a pooler may
 * be in between.
 */
export interface PostgresSession {
  /** Runs one statement in a transaction of its own. */
  readonly query: (
    text: string,
    values: readonly Value[],
    timeout: number,
  ) => Promise<readonly Row[]>;
  /**
   * Runs statements in one transaction, which is rolled back if `run` rejects: at once, if it
   * rejects with `ABANDONED`, without waiting for statements that are under way. `statements` are
   * those of a handler, without a time limit.
   */
  transaction<Result>(
    run: (query: Query, statements: Statements) => Promise<Result>,
    timeout: number,
  ): Promise<Result>;
  /**
   * Listens on a channel until stopped; calls `lost` if the connection ends before. Absent if there
   * is none to listen on.
   */
  readonly listen?: (
    channel: string,
    heard: (payload: string) => void,
    lost: () => void,
  ) => Promise<Listening>;
  /** Ends the session's own connections; leaves those of the user alone. */
  close(): Promise<void>;
}

export interface Listening {
  stop(): Promise<void>;
  /**
   * Runs a statement on the same connection; absent if it is not a connection of the inbox's own.
   */
  readonly query?: Query;
}

/** Rejects a transaction on purpose: it is rolled back. */
export const ROLLED_BACK = new Error("rolled back");
/** The same for a transaction in which statements may be under way, or follow. */
export const ABANDONED = new Error("abandoned");

/** The part of `pg`'s clients that is used. */
export interface PostgresClient {
  query(config: {
    text: string;
    values?: unknown[];
    query_timeout?: number;
    queryMode?: "extended";
    types?: { getTypeParser: (type: number) => Parser };
  }): Promise<{ rows: unknown[] }>;
}

/** The part of `pg`'s `Pool` that is used: pass a pool of your own, which the inbox leaves open. */
export interface PostgresPool extends PostgresClient {
  /** `max` is the number of its connections. */
  readonly options?: { readonly max?: number | undefined };
  connect(): Promise<PooledClient>;
  on?(event: "connect", listener: (client: PooledClient) => void): unknown;
  removeListener?(event: "connect", listener: (client: PooledClient) => void): unknown;
}

/** A connection of a pool, until it is released. */
export interface PooledClient extends PostgresClient {
  release(destroy?: boolean): void;
  on(event: "error", listener: (error: Error) => void): unknown;
}

/** A database in this process, such as a `PGlite`. The inbox leaves it open. */
export interface PostgresDatabase {
  query(
    text: string,
    values?: unknown[],
    options?: DatabaseQueryOptions,
  ): Promise<{ rows: unknown[] }>;
  transaction<Result>(run: (transaction: PostgresQueries) => Promise<Result>): Promise<Result>;
  listen?(channel: string, heard: (payload: string) => void): Promise<() => Promise<void>>;
}

/** What runs the statements of a transaction. */
export interface PostgresQueries {
  query(text: string, values?: unknown[], options?: DatabaseQueryOptions): Promise<DatabaseResult>;
}

/** How a database in this process is to return rows. */
export interface DatabaseQueryOptions {
  rowMode?: "array";
  /** How the columns of each type are read. */
  parsers?: Readonly<Record<number, Parser>>;
}

/** What a statement returned in a database in this process. */
export interface DatabaseResult {
  rows: unknown[];
  affectedRows?: number;
}

const HEARD = new WeakSet<PooledClient>();

/**
 * A connection that is lost emits an error besides failing its statement; unheard, that would end
 * the process.
 */
function hear(client: PooledClient): void {
  if (HEARD.has(client)) return;
  HEARD.add(client);
  client.on("error", () => {});
}

/** A session on a pool; `end` closes the pool, if only the inbox uses it. */
export function poolSession(
  pool: PostgresPool,
  end?: () => Promise<void>,
): Omit<PostgresSession, "listen"> {
  const ask = async (
    client: PostgresClient,
    text: string,
    values: readonly Value[],
    timeout: number,
  ) => {
    const { rows } = await client.query({
      text,
      values: [...values],
      query_timeout: timeout,
      types: TYPES,
    });
    return rows as Row[];
  };
  pool.on?.("connect", hear); // it may be lost before connect() has returned it
  return {
    query: (text, values, timeout) => ask(pool, text, values, timeout),
    async transaction(run, timeout) {
      const client = await pool.connect();
      hear(client); // the user's pool may have had it before
      let isClean = false;
      try {
        await ask(client, "BEGIN ISOLATION LEVEL READ COMMITTED", [], timeout);
        try {
          const { query, noted } = handlerStatements(client);
          const result = await run((text, values = []) => ask(client, text, values, timeout), {
            query,
          });
          const commit = end !== undefined && noted.wereUsed ? COMMIT_AND_RESET : "COMMIT";
          await ask(client, commit, [], timeout);
          isClean = !noted.maySet;
          return result;
        } catch (thrown) {
          // Otherwise the connection does not answer: it is destroyed, which ends its transaction
          // too.
          if (thrown === ROLLED_BACK || (stateOf(thrown) !== undefined && !isOfStandby(thrown)))
            isClean = await ask(client, "ROLLBACK", [], timeout).then(
              () => true,
              () => false, // the first error matters more than this one
            );
          throw thrown;
        }
      } finally {
        client.release(!isClean);
      }
    },
    close: async () => {
      pool.removeListener?.("connect", hear);
      await end?.();
    },
  };
}

/** A statement that may set something for longer than its transaction. A rollback undoes that. */
const SETS =
  /^\s*set\s+(?!local\b|constraints\b|transaction\b)|set_config\s*\((?![^()]*,\s*true\s*\))/i;
/**
 * Ends a transaction in which a handler's statements ran, on a connection that only the inbox uses.
 */
const COMMIT_AND_RESET = "COMMIT; RESET SESSION AUTHORIZATION; RESET ROLE; RESET ALL";

/**
 * Runs the statements of a handler one at a time, so that none can hide another one, such as
 * COMMIT. Notes whether one may have changed a setting of its connection: then nobody else must use
 * it.
 */
function handlerStatements(client: PostgresClient) {
  const noted = { wereUsed: false, maySet: false };
  const query: Statements["query"] = (statement, values) => {
    const given = typeof statement === "string" ? { text: statement } : statement;
    noted.wereUsed = true;
    noted.maySet ||= SETS.test(given.text);
    return client.query({ ...given, ...(values && { values }), queryMode: "extended" });
  };
  return { query, noted };
}

/**
 * A session on a database in this process. It has one connection, so nothing can be waited for in
 * vain.
 */
export function databaseSession(database: PostgresDatabase): PostgresSession {
  const own = { parsers: PARSERS };
  return {
    query: async (text, values) => (await database.query(text, [...values], own)).rows as Row[],
    transaction: (run) =>
      database.transaction((transaction) =>
        run(
          async (text, values = []) =>
            (await transaction.query(text, [...values], own)).rows as Row[],
          {
            // Statements of a handler, with results as those of `pg`.
            async query(statement, values): Promise<PostgresResult<unknown>> {
              const given: PostgresStatement & { rowMode?: "array" } =
                typeof statement === "string" ? { text: statement } : statement;
              const options = given.rowMode === "array" ? { rowMode: given.rowMode } : undefined;
              const { rows, affectedRows } = await transaction.query(
                given.text,
                values ?? given.values,
                options,
              );
              return { rows, rowCount: affectedRows || rows.length };
            },
          },
        ),
      ),
    ...(database.listen && {
      listen: async (channel, heard) => {
        const stop = await database.listen?.(channel, heard);
        return { stop: async () => stop?.() };
      },
    }),
    close: async () => {},
  };
}
