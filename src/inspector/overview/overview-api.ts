/**
 * The types of the inspector's overview, shared by the server and the page, as those of `api.ts`.
 */
import type { StateCounts } from "../../inbox/counts.ts";
import type { EntryState } from "../../inbox/entry-state.ts";
import type { FailureGroup } from "../../inbox/failures.ts";

export interface Durations {
  readonly count: number;
  readonly median: number;
  readonly p95: number;
  readonly longest: number;
}

export interface Minute {
  readonly at: number;
  /** By verdict. */
  readonly counts: Readonly<Record<string, number>>;
  /** Those that were kept, duplicates aside, by their state now. */
  readonly states: Readonly<Record<EntryState, number>>;
}

export interface KindDurations extends Durations {
  readonly kind: string;
  readonly failed: number;
}

export interface FailureRow extends Omit<FailureGroup, "words" | "seqs"> {
  readonly error: string;
  /** The newest of them: the list's filter `like` takes it. */
  readonly like: number;
}

export interface Overview {
  readonly since: number;
  readonly now: number;
  /** The last 60 minutes, oldest first. */
  readonly minutes: readonly Minute[];
  /** Times from a request's headers to the response. */
  readonly latency: Durations;
  readonly durations: readonly KindDurations[];
  readonly counts: StateCounts;
  /** As in `counts`, but without the dead letters that were dropped. */
  readonly failed: Pick<StateCounts, "failing" | "dead">;
  /** Why no delivery can be kept; `null` while nothing is known that prevents it. */
  readonly damage: string | null;
  /** What is to be said of sources whose signatures match no secret. */
  readonly mismatched: readonly string[];
  readonly failures: readonly FailureRow[];
  /** Whether entries were left out, since too many failed. */
  readonly failuresArePart: boolean;
}
