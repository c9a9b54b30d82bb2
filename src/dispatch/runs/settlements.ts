import { retryDelay } from "../../base/options/retry.ts";
import type { ClaimedEntry } from "../../inbox/claim.ts";
import { stateBeforeRun } from "../../inbox/entry-state.ts";
import { PAUSED, SET_ASIDE } from "../../inbox/pause.ts";
import type { DeadReason, WaitingReason } from "../../inbox/reasons.ts";
import type { Settlement } from "../../inbox/settlement.ts";
import { TARGET_AWAY } from "../../inbox/target-wait.ts";
import type { EntryWaits } from "./entry-waits.ts";
import type { RunOptions } from "./run-options.ts";

/** The settlement of an entry: due now, with nothing new recorded, unless more is given. */
export function settlementOf(
  { seq, lease, orderKey, finishedHandlers: finished }: ClaimedEntry,
  clock: () => number,
  state: Settlement["state"],
  reason: DeadReason | WaitingReason | null,
  more: Partial<Omit<Settlement, "seq" | "lease">> = {},
): Settlement {
  const { runAt = clock(), finishedHandlers = finished, records = [], uncount = false } = more;
  const { problems, waits } = more;
  const unordered = orderKey === null;
  return {
    seq,
    lease,
    state,
    reason,
    problems,
    runAt,
    finishedHandlers,
    records,
    waits,
    uncount,
    unordered,
  };
}

/** The settlement of an entry that runs again. */
export function againOf(
  entry: ClaimedEntry,
  clock: () => number,
  reason: WaitingReason | null,
  more: Parameters<typeof settlementOf>[4] = {},
): Settlement {
  const attempts = entry.attempts - (more.uncount === true ? 1 : 0);
  return settlementOf(entry, clock, stateBeforeRun(attempts, reason), reason, more);
}

export interface Failure {
  /** The handler's own maximum of attempts. */
  readonly attempts: number;
  readonly asked: number | undefined;
}

/** A failure outside any handler has no limit but the retry policy's. */
export const UNREADABLE: Failure = { attempts: Number.POSITIVE_INFINITY, asked: undefined };

interface Left {
  readonly failures: readonly Failure[];
  readonly waits?: EntryWaits | undefined;
  /** Whether it was the entry's turn at one target, and it has other handlers. */
  readonly others?: boolean;
  readonly paused?: boolean;
}

/** The settlement of an entry with something left to do: its retry, its next turn, or its end. */
export function afterFailure(
  entry: ClaimedEntry,
  options: RunOptions,
  result: Partial<Settlement>,
  left: Left,
) {
  const { retry, random, clock } = options;
  const { failures, waits, others = false, paused = false } = left;
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
    return againOf(entry, clock, reason, { ...result, uncount, runAt: kept });
  }
  if (next === undefined && paused) {
    return againOf(entry, clock, PAUSED, { ...result, uncount, runAt: clock() + SET_ASIDE });
  }
  if (next === undefined)
    return settlementOf(entry, clock, "dead", waits?.over ?? "attempts_exhausted", result);
  return againOf(entry, clock, reason, { ...result, uncount, runAt: next });
}
