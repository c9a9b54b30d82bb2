import { describeError } from "../../errors.ts";
import type { ClaimedEntry } from "../../inbox/claim.ts";
import type { Settlement } from "../../inbox/settlement.ts";
import { TARGET_AWAY } from "../../inbox/target-wait.ts";
import type { Plan, PlannedRun } from "../handler.ts";
import type { Turn } from "../targets/target.ts";
import { EntryHandlers, runLimits } from "./entry-handlers.ts";
import { runHandler } from "./run-handler.ts";
import type { RunOptions } from "./run-options.ts";
import { afterFailure, type Settle, UNREADABLE } from "./settling.ts";

/**
 * Runs the unfinished handlers of a claimed entry, one after another, and returns the entry's settlement. In its turn at
 * a target, only the handler of that target runs.
 */
export async function runEntry(entry: ClaimedEntry, options: RunOptions, turn?: Turn): Promise<Settlement> {
  const { seq } = entry;
  const settle = settlingOf(entry, options.clock);
  if (entry.unreadable !== undefined) {
    options.log.error({ seq, error: entry.unreadable }, "an entry cannot be read: it is now a dead letter");
    return settle("dead", "unreadable");
  }
  // Claimed more often than it may run: the processes that ran it died before they could settle it.
  if (entry.attempts > options.retry.attempts) return settle("dead", "attempts_exhausted");

  let plan: Plan | Unplanned;
  try {
    const planning = options.plan(entry, options.ready);
    plan = planning instanceof Promise ? await plannedInTime(planning, entry, options) : planning;
  } catch (thrown) {
    plan = { error: describeError(thrown) };
  }
  if ("run" in plan) return new EntryHandlers(entry, { plan, options, settle, turn }).run();
  if ("error" in plan) {
    options.log.error({ seq, error: plan.error }, "an entry could not be read; trying again later");
    return afterFailure(settle, entry, options, {}, { failures: [UNREADABLE] });
  }
  return settleWithoutRun(plan, entry, options.clock(), settle);
}

/** What makes the settlements of an entry: due now, with nothing new recorded, unless it is told otherwise. */
function settlingOf(entry: ClaimedEntry, clock: () => number): Settle {
  const { seq, lease } = entry;
  return (state, reason, more = {}) => {
    const { runAt = clock(), finishedHandlers = entry.finishedHandlers, records = [] } = more;
    const { uncount = false, problems, waits } = more;
    const unordered = entry.orderKey === null;
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
  };
}

function settleWithoutRun(
  plan: Exclude<Plan, PlannedRun>,
  { waits, dueAt }: ClaimedEntry,
  now: number,
  settle: Settle,
): Settlement {
  if ("end" in plan) {
    if (plan.end === "done") return settle("done", null);
    return settle(plan.end, plan.reason, { problems: plan.problems });
  }
  if ("wait" in plan) return settle("pending", plan.reason, { runAt: now + plan.wait, uncount: true });
  return settle("pending", waits?.length ? TARGET_AWAY : null, { runAt: dueAt ?? now, uncount: true });
}

/** The plan for an entry, or why there is none; with the time limit of a handler. */
async function plannedInTime(
  plan: Promise<Plan>,
  entry: ClaimedEntry,
  options: RunOptions,
): Promise<Plan | Unplanned> {
  let made: Plan | undefined;
  const { record } = await runHandler(
    async () => {
      made = await plan;
    },
    runLimits("plan", entry, options),
  );
  return made ?? { error: record.error };
}

/** Why there is no plan for an entry. */
interface Unplanned {
  readonly error: string | null;
}
