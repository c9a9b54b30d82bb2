import { setImmediate } from "node:timers/promises";
import type { Inbox } from "./inbox.ts";
import type { PruneRequest, PruneStep, SlimRequest, StepResult } from "./prune-request.ts";
import type { Row } from "./rows.ts";

/** Entries per step: a delivery may have to wait for a step, so one takes a few milliseconds. */
const STEP = 200;

export interface Pruning {
  readonly prune?: PruneRequest;
  readonly slim?: SlimRequest;
  /** Stops the work after the current step. */
  readonly signal?: AbortSignal;
}

/** Prunes and slims an inbox in small steps, so that deliveries can be kept between them. */
export async function pruneInbox(inbox: Inbox, { prune, slim, signal }: Pruning) {
  return {
    pruned: prune === undefined ? 0 : await allSteps((step) => inbox.prune(prune, step), signal),
    slimmed: slim === undefined ? 0 : await allSteps((step) => inbox.slim(slim, step), signal),
  };
}

async function allSteps(
  take: (step: PruneStep) => Promise<StepResult>,
  signal: AbortSignal | undefined,
) {
  let changed = 0;
  for (let cursor: string | undefined; signal?.aborted !== true; ) {
    const result: StepResult = await take({ cursor, limit: STEP });
    changed += result.changed;
    cursor = result.next;
    if (cursor === undefined) break;
    await setImmediate();
  }
  return changed;
}

/**
 * Of rows in order of arrival: if all of a step are too young, the rest are too, unless the clock
 * was set back after them.
 */
export function stepResult(
  rows: readonly Row[],
  old: number,
  changed: number,
  { limit }: PruneStep,
): StepResult {
  const isOver = old === 0 && !rows.some(({ received_at: at }) => Number(at) > Date.now());
  return { changed, next: rows.length < limit || isOver ? undefined : String(rows.at(-1)?.seq) };
}

/**
 * The latest date of each source's pruned events, which must not be taken for new again. A rejected
 * delivery never ran, whatever its date.
 */
export function latestDates(pruned: readonly Row[]): ReadonlyMap<string, number> {
  const latest = new Map<string, number>();
  for (const { source, dated, never_ran: neverRan } of pruned) {
    if (neverRan === true || neverRan === 1) continue;
    latest.set(
      source as string,
      Math.max(latest.get(source as string) ?? -Infinity, Number(dated)),
    );
  }
  return latest;
}
