import type { Presence } from "./file/presence.ts";
import { throwIfTruncated } from "./file/truncated.ts";
import type { Statements } from "./statements.ts";

export interface Transactions {
  begin(): void;
  commit(): void;
  rollback(): void;
}

/** Transactions on an open inbox file. None begins once its files were removed or replaced. */
export function transactionsOn(statements: Statements, presence: Presence): Transactions {
  return {
    begin: () => {
      presence.check();
      if (presence.shrunk !== undefined) throwIfTruncated(presence, statements);
      statements.begin();
    },
    commit: () => {
      statements.run("COMMIT");
      presence.noteLog();
    },
    rollback: () => {
      if (statements.inTransaction) statements.run("ROLLBACK");
    },
  };
}

export type WorkResult = { readonly value: unknown } | { readonly error: unknown };

/**
 * Runs operations in one transaction. If one of them throws, runs each in a separate one, so that
 * it does not undo the others. If the transaction cannot begin or be committed, all have failed.
 */
export function commitTogether<Operation>(
  transactions: Transactions,
  operations: readonly Operation[],
  run: (operation: Operation) => unknown,
): readonly WorkResult[] {
  const together = tryTogether(transactions, operations, run);
  const mayBeOneOfThem =
    operations.length > 1 && together.results.some((result) => "error" in result);
  if (together.storeFailed || !mayBeOneOfThem) return together.results;
  const all: WorkResult[] = [];
  for (const operation of operations) {
    const { results, storeFailed } = tryTogether(transactions, [operation], run);
    all.push(...results);
    // If the store itself fails, each further try could block the process while it waits for a
    // lock.
    if (storeFailed) return operations.map((_, index) => all[index] ?? (results[0] as WorkResult));
  }
  return all;
}

/**
 * Runs one transaction. If it fails, all operations have failed; `storeFailed` if none of them was
 * the cause.
 */
function tryTogether<Operation>(
  transactions: Transactions,
  operations: readonly Operation[],
  run: (operation: Operation) => unknown,
): { readonly results: readonly WorkResult[]; readonly storeFailed: boolean } {
  const results: WorkResult[] = [];
  let working = false;
  try {
    transactions.begin();
    working = true;
    for (const operation of operations) results.push({ value: run(operation) });
    working = false;
    transactions.commit();
    return { results, storeFailed: false };
  } catch (error) {
    try {
      transactions.rollback();
    } catch {} // it has ended with the first error, which is the one to report
    return { results: operations.map(() => ({ error })), storeFailed: !working };
  }
}
