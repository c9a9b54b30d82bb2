import { HookporterError } from "../../base/errors.ts";

/** A statement with its parameters, as the client takes it. */
export interface PostgresStatement {
  readonly text: string;
  readonly values?: unknown[];
}

/** What a statement returned. */
export interface PostgresResult<Row> {
  readonly rows: Row[];
  /** The number of rows that the statement returned or changed. */
  readonly rowCount: number | null;
}

/**
 * A transaction of a handler, with the `query` of a client of `pg`, so that database libraries can
 * use it as one. A transaction within it is a SAVEPOINT.
 */
export interface PostgresTransaction {
  /**
   * Runs one statement, with parameters `$1` and so on.
   *
   * @throws HookporterError `tx_ended` once the handler has ended, timed out or was stopped
   */
  query<Row extends object = Record<string, unknown>>(
    statement: string | PostgresStatement,
    values?: readonly unknown[],
  ): Promise<PostgresResult<Row>>;
}

export interface Statements {
  query(statement: string | PostgresStatement, values?: unknown[]): Promise<unknown>;
}

const COMMENTS = String.raw`(?:\s|--[^\n]*\n|/\*[\s\S]*?\*/)*`;
const ENDS_OR_BEGINS = new RegExp(
  `^${COMMENTS}(?:begin|start\\s+transaction|commit|end|abort|prepare\\s+transaction|rollback(?!\\s+(?:(?:work|transaction)\\s+)?to\\b))\\b`,
  "i",
);

/** The error of a transaction that is used too late. */
function ended(): HookporterError {
  return new HookporterError(
    "tx_ended",
    "expected tx to be used while its handler runs, got a use after it had ended, timed out or was stopped: await every statement",
  );
}

/** A handler's transaction on a connection, until it is revoked. */
export function revocableTransaction(given: Statements) {
  let statements: Statements | undefined = given;
  const tx: PostgresTransaction = {
    query: async (statement, values) => {
      if (statements === undefined) throw ended();
      const text = typeof statement === "string" ? statement : statement.text;
      if (ENDS_OR_BEGINS.test(text)) {
        throw new TypeError(
          `expected the inbox to begin and end the transaction, got ${JSON.stringify(text.trim().slice(0, 40))}: ` +
            "throw an error to roll it back, and use SAVEPOINT for a part of it",
        );
      }
      return (await statements.query(statement, values && [...values])) as PostgresResult<never>;
    },
  };
  const revoke = () => {
    statements = undefined;
  };
  return { tx, revoke };
}

/**
 * An object that fails once it is revoked: every use of it, not those of what was taken from it
 * before.
 */
export function revocable(given: unknown): {
  readonly proxy: unknown;
  readonly revoke: () => void;
} {
  if (typeof given !== "object" || given === null) return { proxy: given, revoke: () => {} };
  let isRevoked = false;
  const proxy = new Proxy(given, {
    get: (target, name) => {
      if (isRevoked) throw ended();
      // its private fields are not the proxy's
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const revoke = () => {
    isRevoked = true;
  };
  return { proxy, revoke };
}
