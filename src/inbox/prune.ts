import { setImmediate } from "node:timers/promises";
import type { Inbox } from "./inbox.ts";
import type { PruneRequest, SlimRequest, Step, StepResult } from "./prune-request.ts";

/** Entries looked at in one step: what a delivery may have to wait for is a few milliseconds. */
const STEP = 200;

/** What to drop from an inbox. */
export interface Pruning {
  /** Entries to drop. */
  readonly prune?: PruneRequest;
  /** Entries whose delivery to drop. */
  readonly slim?: SlimRequest;
  /** Ends the work after the step at hand. */
  readonly signal?: AbortSignal;
}

/** How many entries were dropped, and of how many the delivery. */
export interface Pruned {
  readonly pruned: number;
  readonly slimmed: number;
}

/** Drops what is asked for in small steps, with room for deliveries between them. */
export async function pruneInbox(inbox: Inbox, { prune, slim, signal }: Pruning): Promise<Pruned> {
  return {
    pruned: prune === undefined ? 0 : await allSteps((step) => inbox.prune(prune, step), signal),
    slimmed: slim === undefined ? 0 : await allSteps((step) => inbox.slim(slim, step), signal),
  };
}

async function allSteps(
  take: (step: Step) => Promise<StepResult>,
  signal: AbortSignal | undefined,
): Promise<number> {
  let changed = 0;
  for (let after: number | undefined = 0; after !== undefined && signal?.aborted !== true; ) {
    const result: StepResult = await take({ after, limit: STEP });
    changed += result.changed;
    after = result.next;
    await setImmediate();
  }
  return changed;
}
