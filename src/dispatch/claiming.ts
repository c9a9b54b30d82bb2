import type { Logger } from "../base/logger.ts";
import type { PendingWork } from "../base/pending-work.ts";
import { describeError } from "../errors.ts";
import type { ClaimedEntry } from "../inbox/claim.ts";
import type { Settlement } from "../inbox/settlement.ts";
import type { ConcurrencyLimit } from "./concurrency-limit.ts";
import type { RetryWatch } from "./retry-watch.ts";
import type { EntryRun } from "./runs/run-options.ts";

/** What all that claim entries share: the loop, the queues of targets, and drains. */
export interface Claiming {
  readonly limit: ConcurrencyLimit;
  readonly failures: ReturnType<typeof claimFailures>;
  readonly watch: RetryWatch;
  /**
   * Claims besides those of the loop: a shutdown waits for them, so that no entry stays leased
   * without a run.
   */
  readonly claims: PendingWork;
  /** Runs a claimed entry; resolves to its settlement, or to `undefined` if it was given back. */
  readonly run: (entry: ClaimedEntry, how: EntryRun) => Promise<Settlement | undefined>;
  readonly except: () => readonly number[];
  readonly nextTurn: () => Promise<void>;
  readonly wake: () => void;
}

/** Milliseconds before the same failure is logged again. */
const AGAIN = 60_000;

/**
 * Logs failed claims: each kind of failure at first and then once a minute, rather than at every
 * attempt.
 */
export function claimFailures(log: Logger) {
  let latest = "";
  let reportedAt = 0;
  return {
    report: (thrown: unknown): void => {
      const error = describeError(thrown);
      if (error === latest && performance.now() - reportedAt < AGAIN) return;
      [latest, reportedAt] = [error, performance.now()];
      log.error({ error }, "due entries could not be claimed from the inbox; trying again");
    },
    /** Call it when a claim succeeds. */
    end: (): void => {
      latest = "";
    },
  };
}
