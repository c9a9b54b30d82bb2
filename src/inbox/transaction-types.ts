import type { PostgresTransaction } from "./postgres/transaction.ts";

/**
 * The type of `tx`, if it is the transaction of your own database library: add a member `tx` to
 * this interface by module augmentation. Without it, `tx` is a {@link PostgresTransaction}.
 *
 * @example
 * ```ts
 * interface OwnTransaction {
 *   execute(text: string, values: readonly unknown[]): Promise<unknown[]>;
 * }
 *
 * declare module "hookporter" {
 *   interface TransactionTypes {
 *     tx: OwnTransaction;
 *   }
 * }
 * ```
 */
// biome-ignore lint/suspicious/noEmptyInterface: users add the member
export interface TransactionTypes {}

/** The type of `tx` in handlers. */
export type HandlerTransaction = TransactionTypes extends { tx: infer Tx }
  ? Tx
  : PostgresTransaction;
