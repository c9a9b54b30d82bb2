import type { Logger } from "../../base/logger.ts";
import type { RetryPolicy } from "../../base/options/retry.ts";
import type { ClaimedEntry } from "../../inbox/claim.ts";
import type { EntryTransactions } from "../attempts/entry-transactions.ts";
import type { AttemptTrace } from "../plan/attempt-tracing.ts";
import type { Plan, ReadyEvent } from "../plan/handler.ts";
import type { TargetGate, Turn } from "../plan/target.ts";

export interface RunOptions {
  /** Reads the entry, unless its event is ready, and finds its handlers. */
  readonly plan: (entry: ClaimedEntry, ready?: ReadyEvent) => Plan | Promise<Plan>;
  readonly retry: RetryPolicy;
  readonly handlerTimeout: number;
  readonly clock: () => number;
  readonly random: () => number;
  readonly log: Logger;
}

export interface RunParts {
  /** Its event, if it was read just now. */
  readonly ready?: ReadyEvent | undefined;
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

/** How an entry comes to run. */
export type RunStart =
  /** It was claimed as it is due: it runs when there is room. */
  | { readonly type: "due"; readonly targets: TargetGate }
  /** It was appended with a lease, in room that was reserved for it. */
  | {
      readonly type: "reserved";
      readonly targets: TargetGate;
      readonly ready: ReadyEvent | undefined;
    }
  /** It was claimed, as its caller waits for the result: it runs at once, beyond all limits. */
  | { readonly type: "now"; readonly targets: TargetGate }
  /** It was claimed for its turn at a target: only that target is tried, at once. */
  | {
      readonly type: "turn";
      readonly targets: TargetGate;
      readonly turn: Turn;
      /** Called once the target was tried, before the result is stored. */
      readonly tried: () => void;
    }
  /** It was claimed by a drain: what does not fit is given back, and no target is waited for. */
  | { readonly type: "drain"; readonly budget: TimeLimit };

/** What becomes of an entry that this process has leased. */
export type Start = RunStart | { readonly type: "give_back" };
