import type { Turn } from "./target.ts";

/** How an entry is run. */
export interface EntryRun {
  /** Whether it was claimed, rather than inserted already leased. */
  readonly claimed: boolean;
  /** Whether it runs at once, even beyond the concurrency limit. */
  readonly atOnce?: boolean;
  /** Awaited before the run; if it resolves to `false`, the entry is given back instead. */
  readonly before?: () => Promise<unknown>;
  /** The turn at a target that it was claimed for. */
  readonly turn?: Turn;
  /** Called when the run has ended, before its result is stored, and once more at the end. */
  readonly onEnd?: () => void;
}
