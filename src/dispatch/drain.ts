import type { ClaimedEntry } from "../inbox/claim.ts";
import { hasEnded } from "../inbox/entry-state.ts";
import type { SettledState, Settlement } from "../inbox/settlement.ts";
import type { Claims } from "./runs/claims.ts";
import type { ConcurrencyLimit } from "./runs/concurrency-limit.ts";
import type { DispatcherOptions } from "./runs/dispatcher-options.ts";
import type { EntryRunner } from "./runs/entry-runner.ts";
import type { RetryWatch } from "./runs/retry-watch.ts";
import type { RunBudget } from "./runs/run-budget.ts";

/** What a drain did, in entries, and when to drain again. */
export interface DrainReport {
  /** All handlers of these succeeded. */
  readonly handled: number;
  /** These became dead letters. */
  readonly dead: number;
  /** These had no handler. */
  readonly received: number;
  /** These failed, and run again later. */
  readonly failing: number;
  /** These wait for something, such as a target, and run later. */
  readonly waiting: number;
  /**
   * These were given back, for lack of time or since another process has the handler; the attempt
   * is not counted.
   */
  readonly returned: number;
  /**
   * When the next entry is due, in milliseconds since 1970; in the past if time ran out.
   * `undefined` if none waits.
   */
  readonly nextRunAt: number | undefined;
}

interface Draining {
  readonly claims: Claims;
  readonly limit: ConcurrencyLimit;
  readonly watch: RetryWatch;
  readonly runner: EntryRunner;
  readonly budget: RunBudget;
}

type Counts = Record<SettledState | "returned", number>;

/**
 * Claims and runs what is due, until nothing is or there is no time left to start a handler. Waits
 * for no entry to become due. Resolves when the budget is over at the latest.
 *
 * @throws HookporterError `inbox_…` if the store fails
 */
export async function drain(
  { concurrency, clock, log }: DispatcherOptions,
  parts: Draining,
): Promise<DrainReport> {
  const counts: Counts = { waiting: 0, failing: 0, handled: 0, dead: 0, received: 0, returned: 0 };
  const working = runDue(concurrency, parts, counts).then(async () => {
    const nextRunAt = await parts.claims.nextRunAt(await parts.claims.dueTerms());
    return { ...counts, nextRunAt };
  });
  working.catch(() => {}); // reported below, unless the time is over before
  const report = await Promise.race([working, parts.budget.over]);
  if (report !== undefined) return report;
  log.warn(
    {},
    "a drain did not end in time: the inbox was slow to answer, so some entries may run again",
  );
  return { ...counts, nextRunAt: clock() };
}

async function runDue(concurrency: number, parts: Draining, counts: Counts): Promise<void> {
  const { claims, limit, runner, budget, watch } = parts;
  const running = new Set<Promise<void>>();
  const run = (entry: ClaimedEntry) => {
    const ended = runner.run(runner.take(entry), { type: "drain", budget }).then((settlement) => {
      running.delete(ended);
      count(settlement, counts);
    });
    running.add(ended);
  };
  try {
    await watch.look();
    while (budget.fits()) {
      const terms = await claims.dueTerms();
      const room = concurrency - limit.running; // what is reserved may never be used
      if (room <= 0) {
        await Promise.race([limit.untilRoom(), budget.closed]);
        continue;
      }
      const entries = await claims.due(terms, { limit: room });
      claims.failures.end();
      for (const entry of entries) run(entry);
      if (running.size === 0) break;
      await Promise.race(running); // others may be due after it
    }
  } catch (thrown) {
    claims.failures.report(thrown);
    throw thrown;
  } finally {
    await Promise.all(running);
  }
}

function count(settlement: Settlement | undefined, counts: Counts): void {
  if (settlement === undefined) return void counts.returned++;
  const { state, reason, uncount = false } = settlement;
  if (!hasEnded(state) && uncount && reason === null) counts.returned++;
  else counts[state]++;
}
