import type { Logger } from "../../base/logger.ts";
import type { ClaimedEntry } from "../../inbox/claim.ts";
import type { Plan, ReadyEvent } from "../handler.ts";
import type { RetryPolicy } from "../retry.ts";
import type { TargetGate, Turn } from "../targets/target.ts";
import type { EntryTransactions } from "../transactions/entry-transactions.ts";
import type { AttemptTrace } from "./attempt-tracing.ts";

export interface RunOptions {
  /** Reads the entry, unless its event is ready, and finds its handlers. */
  readonly plan: (entry: ClaimedEntry, ready?: ReadyEvent) => Plan | Promise<Plan>;
  readonly retry: RetryPolicy;
  readonly handlerTimeout: number;
  readonly clock: () => number;
  readonly random: () => number;
  readonly log: Logger;
}

export interface RunParts extends Pick<EntryRun, "ready"> {
  /** Decides which entries wait for their turn at a target. Default: none do. */
  readonly targets?: TargetGate | undefined;
  /** The turn at a target that it was claimed for: then only the handler of that target runs. */
  readonly turn?: Turn | undefined;
  /** Runs handlers in transactions. Default: none can have one. */
  readonly transactions?: EntryTransactions | undefined;
  /** Follows this run from inside. Default: nothing does. */
  readonly trace?: Pick<AttemptTrace, "run"> | undefined;
  /** Aborted when a shutdown no longer waits for handlers. */
  readonly signal: AbortSignal;
  /** Whether another handler may start. Default: as long as the signal is not aborted. */
  readonly budget?: Pick<TimeLimit, "fits"> | undefined;
}

export interface TimeLimit {
  readonly signal: AbortSignal;
  fits(): boolean;
}

export interface EntryRun {
  /** Whether it was claimed, rather than inserted already leased. */
  readonly claimed: boolean;
  /** Whether it runs at once, even beyond the concurrency limit. */
  readonly atOnce?: boolean;
  readonly ready?: ReadyEvent | undefined;
  /** Awaited before the run; if it resolves to `false`, the entry is given back instead. */
  readonly before?: () => Promise<unknown>;
  /** Called after that, when it begins. */
  readonly begin?: () => void;
  /** The turn at a target that it was claimed for. */
  readonly turn?: Turn;
  /** Its time, if that is limited. What does not fit is given back, and no target is waited for. */
  readonly budget?: TimeLimit;
  /** Called when the run has ended, before its result is stored, and once more at the end. */
  readonly onEnd?: () => void;
}
