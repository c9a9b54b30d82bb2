import type { Progress } from "../inside.ts";
import type { Settlement } from "../settlement.ts";
import { DROPPED } from "../target-wait.ts";
import type { Stored } from "./stored.ts";

/** Stores a result, if its lease is the current one. Returns whether it is stored, also for one that was stored before. */
export function settleStored(stored: Stored, settlement: Settlement | Progress, now: number): boolean {
  const { entry } = stored;
  if (stored.lease !== settlement.lease) {
    const { lease, state } = settlement;
    return state !== "running" && stored.lastLease === lease && entry.state === state;
  }
  stored.records.push(...settlement.records);
  if (settlement.state === "running") {
    stored.entry = { ...entry, finishedHandlers: settlement.finishedHandlers };
    return true;
  }
  const { problems = [], runAt, finishedHandlers, waits = entry.waits } = settlement;
  const dropped = entry.reason === DROPPED && settlement.state !== "done";
  const { state, reason } = dropped ? ({ state: "dead", reason: DROPPED } as const) : settlement;
  stored.lastLease = stored.lease;
  stored.lease = null;
  const attempts = entry.attempts - (settlement.uncount === true ? 1 : 0);
  const settledAt = state === "pending" ? null : now;
  const result = { state, reason, problems, runAt, finishedHandlers, waits, attempts, settledAt };
  stored.entry = { ...entry, ...result };
  return true;
}
