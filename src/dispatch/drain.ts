import type { ClaimedEntry } from "../inbox/claim.ts";
import { hasEnded } from "../inbox/entry-state.ts";
import type { SettledState, Settlement } from "../inbox/settlement.ts";
import { dueTerms } from "./claim-terms.ts";
import type { Claiming } from "./claiming.ts";
import type { DispatcherOptions } from "./dispatcher-options.ts";
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

type Draining = Claiming & { readonly budget: RunBudget };

type Counts = Record<SettledState | "returned", number>;

/**
 * Claims and runs what is due, until nothing is or there is no time left to start a handler. Waits
 * for no entry to become due. Resolves when the budget is over at the latest.
 *
 * @throws HookporterError `inbox_…` if the store fails
 */
export async function drain(options: DispatcherOptions, parts: Draining): Promise<DrainReport> {
  const { inbox, clock, log } = options;
  const counts: Counts = { waiting: 0, failing: 0, handled: 0, dead: 0, received: 0, returned: 0 };
  const working = runDue(options, parts, counts).then(async () => {
    const { deadBlocks, sources, exceptKinds } = await dueTerms(options);
    const nextRunAt = await inbox.nextRunAt({
      except: parts.except(),
      deadBlocks,
      sources,
      exceptKinds,
    });
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

async function runDue(options: DispatcherOptions, parts: Draining, counts: Counts): Promise<void> {
  const { inbox, clock } = options;
  const { limit, failures, budget, except, watch } = parts;
  const running = new Set<Promise<void>>();
  const run = (entry: ClaimedEntry) => {
    const ended = parts.run(entry, { claimed: true, budget }).then((settlement) => {
      running.delete(ended);
      count(settlement, counts);
    });
    running.add(ended);
  };
  try {
    await watch.look();
    while (budget.fits()) {
      const terms = { ...(await dueTerms(options)), except: except() };
      const room = options.concurrency - limit.running; // what is reserved may never be used
      if (room <= 0) {
        await Promise.race([limit.untilRoom(), budget.closed]);
        continue;
      }
      const entries = await inbox.claim({ ...terms, now: clock(), limit: room });
      failures.end();
      for (const entry of entries) run(entry);
      if (running.size === 0) break;
      await Promise.race(running); // others may be due after it
    }
  } catch (thrown) {
    failures.report(thrown);
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
