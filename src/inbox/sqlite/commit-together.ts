/** The transactions of a store. */
export interface Transactions {
  begin(): void;
  commit(): void;
  rollback(): void;
}

/** The result of one piece of work. */
export type WorkResult = { readonly value: unknown } | { readonly error: unknown };

/** Runs pieces of work in one transaction; if one of them fails, runs each in a separate transaction. */
export function commitTogether(
  transactions: Transactions,
  works: readonly (() => unknown)[],
): readonly WorkResult[] {
  const { results, storeFailed } = tryTogether(transactions, works);
  const mayBeOneOfThem = works.length > 1 && !storeFailed && results.some((result) => "error" in result);
  return mayBeOneOfThem ? commitEach(transactions, works) : results;
}

/** Runs each piece of work in a separate transaction, so that one that fails does not undo the others. */
function commitEach(transactions: Transactions, works: readonly (() => unknown)[]): readonly WorkResult[] {
  const all: WorkResult[] = [];
  for (const work of works) {
    const { results, storeFailed } = tryTogether(transactions, [work]);
    all.push(...results);
    // If the store itself fails, each further try could block the process while it waits for a lock.
    if (storeFailed) return works.map((_, index) => all[index] ?? (results[0] as WorkResult));
  }
  return all;
}

/** Runs one transaction. If it fails, all its work has failed; `storeFailed` if the work was not the cause. */
function tryTogether(
  transactions: Transactions,
  works: readonly (() => unknown)[],
): { readonly results: readonly WorkResult[]; readonly storeFailed: boolean } {
  const results: WorkResult[] = [];
  let working = false;
  try {
    transactions.begin();
    working = true;
    for (const work of works) results.push({ value: work() });
    working = false;
    transactions.commit();
    return { results, storeFailed: false };
  } catch (error) {
    rollback(transactions);
    return { results: works.map(() => ({ error })), storeFailed: !working };
  }
}

function rollback(transactions: Transactions): void {
  try {
    transactions.rollback();
  } catch {
    // The transaction has ended with the first error, which is the one to report.
  }
}
