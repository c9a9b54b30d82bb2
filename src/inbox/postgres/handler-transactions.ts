import type { Row } from "../rows.ts";
import type { HandlerTransaction } from "../transaction-types.ts";
import type { PostgresSession, Query, Value } from "./session.ts";
import { revocable, revocableTransaction } from "./transaction.ts";

/** Runs one statement of the inbox in a transaction of your database library; returns its rows. */
export type TransactionQuery = (
  text: string,
  values: string[],
) => Promise<readonly unknown[] | { readonly rows: readonly unknown[] }>;

/**
 * Runs a function in a transaction of your database library. The transaction is committed once the
 * function resolves, and rolled back if it rejects; then this rejects too. Pass what handlers get
 * as `tx`, and a function that runs a statement with parameters `$1` and so on in that transaction.
 * The function can be called once.
 */
export type OwnTransactions = (
  run: (tx: HandlerTransaction, query: TransactionQuery) => Promise<void>,
) => Promise<unknown>;

export interface OpenTransaction {
  readonly tx: unknown;
  /** Makes it unusable. */
  readonly revoke: () => void;
  /** Runs a statement of the inbox in it. */
  readonly query: Query;
}

/** Begins a transaction, runs work in it and commits it; rolls it back if the work rejects. */
export type RunTransaction = (work: (open: OpenTransaction) => Promise<void>) => Promise<void>;

export function sessionTransactions(session: PostgresSession, timeout: number): RunTransaction {
  return (work) =>
    session.transaction((query, statements) => {
      return work({ ...revocableTransaction(statements), query });
    }, timeout);
}

export function ownTransactions(own: OwnTransactions): RunTransaction {
  return async (work) => {
    let runs = 0;
    await own(async (tx, ask) => {
      // A library that runs it again after a conflict would run the handler again.
      if (++runs > 1)
        throw new TypeError("expected transaction to call its function once, got a second call");
      const { proxy, revoke } = revocable(tx);
      const query = async (text: string, values: readonly Value[] = []) => {
        // All values of the statements in a handler's transaction are texts or lists of numbers.
        const texts = values.map((value) =>
          Array.isArray(value) ? `{${value.join(",")}}` : String(value),
        );
        const result = await ask(text, texts);
        return ("rows" in result ? result.rows : result) as readonly Row[];
      };
      await work({ tx: proxy, revoke, query });
    });
    if (runs === 0)
      throw new TypeError("expected transaction to call its function, got a return before it");
  };
}
