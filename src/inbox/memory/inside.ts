import type { InsideEnd, InsideResult, InsideTerms, Progress } from "../inside.ts";
import type { Settlement } from "../settlement.ts";
import type { HandlerTransaction } from "../transaction-types.ts";

/** Runs a function in a transaction, which is committed once it resolves and rolled back if it rejects. */
export type TestTransactions = (run: (tx: HandlerTransaction) => Promise<void>) => Promise<unknown>;

/** What is asked of the inbox in memory. */
interface Entries {
  readonly isLeased: (result: Settlement | Progress) => boolean;
  readonly store: (result: Settlement | Progress, now: number) => boolean;
}

/** Runs a handler in a transaction of a test, and stores its result once that is committed. */
export async function insideTest(
  transactions: TestTransactions,
  work: (tx: unknown) => Promise<InsideEnd>,
  { now }: InsideTerms,
  { isLeased, store }: Entries,
): Promise<InsideResult> {
  let end: InsideEnd = "roll_back";
  let result: InsideResult = "committed";
  try {
    await transactions(async (tx) => {
      end = await work(tx);
      if (typeof end === "string") result = "rolled_back";
      else if (!isLeased(end)) result = "refused";
      if (result !== "committed") throw new Error("rolled back");
    });
  } catch (thrown) {
    if (result === "committed") throw thrown;
    return result;
  }
  if (typeof end === "string") return "rolled_back";
  return store(end, now()) ? "committed" : "refused";
}
