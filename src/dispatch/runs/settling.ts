import type { ClaimedEntry } from "../../inbox/claim.ts";
import type { DeadReason, WaitingReason } from "../../inbox/reasons.ts";
import type { Settlement } from "../../inbox/settlement.ts";
import { TARGET_AWAY } from "../../inbox/target-wait.ts";
import { retryDelay } from "../retry.ts";
import type { EntryWaits } from "../targets/entry-waits.ts";
import type { RunOptions } from "./run-options.ts";

/** Makes the settlement of one entry. */
export type Settle = (
  state: Settlement["state"],
  reason: DeadReason | WaitingReason | null,
  more?: Partial<Omit<Settlement, "seq" | "lease">>,
) => Settlement;

export interface Failure {
  /** The handler's own maximum of attempts. */
  readonly attempts: number;
  /** Milliseconds that it asked to wait. */
  readonly asked: number | undefined;
}

/** A failure outside any handler has no limit but the retry policy's. */
export const UNREADABLE: Failure = { attempts: Number.POSITIVE_INFINITY, asked: undefined };

/** What is left to do for an entry. */
interface Left {
  readonly failures: readonly Failure[];
  readonly waits?: EntryWaits | undefined;
  /** Whether it was the entry's turn at one target, and it has other handlers. */
  readonly others?: boolean;
}

/** The settlement of an entry with something left to do: its retry, its next turn, or its end. */
export function afterFailure(
  settle: Settle,
  entry: ClaimedEntry,
  { retry, random, clock }: RunOptions,
  result: Partial<Settlement>,
  { failures, waits, others = false }: Left,
): Settlement {
  // All failed handlers run again together, so the longest of their waits counts.
  const drawn = random();
  const delays = failures.flatMap(({ attempts, asked }) => {
    const policy = { ...retry, attempts: Math.min(retry.attempts, attempts) };
    return retryDelay(entry.attempts, policy, drawn, asked) ?? [];
  });
  const times = [...delays.map((delay) => clock() + delay), ...(waits?.retryTimes ?? [])];
  const { overdueAt } = waits ?? {};
  const reason = overdueAt === undefined ? null : TARGET_AWAY;
  const uncount = others || result.records?.length === 0;
  const next = times.length > 0 ? Math.max(...times) : overdueAt;
  // The others keep their time, unless this was what they waited for.
  if (others) {
    const kept = next === undefined ? clock() : Math.min(next, entry.dueAt ?? next);
    return settle("pending", reason, { ...result, uncount, runAt: kept });
  }
  if (next === undefined) return settle("dead", waits?.over ?? "attempts_exhausted", result);
  return settle("pending", reason, { ...result, uncount, runAt: next });
}
