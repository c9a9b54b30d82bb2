import type { ReadyEvent } from "../handler.ts";
import type { Turn } from "../targets/target.ts";

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
  readonly within?: TimeLimit;
  /** Called when the run has ended, before its result is stored, and once more at the end. */
  readonly onEnd?: () => void;
}
