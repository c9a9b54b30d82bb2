/** What a shared commit needs of a store. */
export interface Transactions {
  begin(): void;
  commit(): void;
  rollback(): void;
}

/** How one piece of work ended. */
export type WorkResult = { readonly value: unknown } | { readonly error: unknown };

/** Runs pieces of work in one transaction; if one of them fails, each in a transaction of its own. */
export function commitTogether(
  transactions: Transactions,
  works: readonly (() => unknown)[],
): readonly WorkResult[] {
  const { results, storeFailed } = tryTogether(transactions, works);
  const mayBeOneOfThem = works.length > 1 && !storeFailed && results.some((result) => "error" in result);
  return mayBeOneOfThem ? commitEach(transactions, works) : results;
}

/** So that the neighbours of work that failed do not go down with it. */
function commitEach(transactions: Transactions, works: readonly (() => unknown)[]): readonly WorkResult[] {
  const all: WorkResult[] = [];
  for (const work of works) {
    const { results, storeFailed } = tryTogether(transactions, [work]);
    all.push(...results);
    // Once the store itself fails, each further try could wait for a lock with the whole process.
    if (storeFailed) return works.map((_, index) => all[index] ?? (results[0] as WorkResult));
  }
  return all;
}

/** One transaction; where it fails, every piece of work has failed. `storeFailed`: it is not the work's fault. */
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
    // The transaction is gone with the error that brought us here, which is the one to report.
  }
}
