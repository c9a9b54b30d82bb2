import type { AttemptRecord } from "./attempt-record.ts";
import type { Entry } from "./entry.ts";

/** A run without what takes much room. */
export interface RunOutline
  extends Pick<
    AttemptRecord,
    "attempt" | "handler" | "startedAt" | "duration" | "outcome" | "error"
  > {
  /**
   * The first line of the user's own code in the error's stack: `file:line:column`, if it is known.
   */
  readonly at?: string | null;
}

/** What a list shows of an entry besides the entry itself. */
export interface EntryOutline {
  readonly seq: number;
  /** The runs of its last attempt, oldest first; empty before the first one has ended. */
  readonly lastRuns: readonly RunOutline[];
  /** The first bytes of the body; `undefined` once slimmed. */
  readonly bodyStart: Uint8Array | undefined;
}

/** Of which entries to read outlines, and how many bytes of their bodies. */
export interface OutlineRequest {
  readonly entries: readonly Pick<Entry, "seq" | "receivedAt" | "attempts">[];
  readonly bodyBytes: number;
}

/** The runs of the last attempt, from runs in the order in which they were recorded. */
export function lastRunsOf<Run extends RunOutline>(runs: readonly Run[]): readonly Run[] {
  const last: Run[] = [];
  // A retry counts from 1 again, so the same number can be that of an earlier attempt.
  for (const run of runs.toReversed()) {
    const isOther = last.some(
      ({ attempt, handler }) => attempt !== run.attempt || handler === run.handler,
    );
    if (isOther) break;
    last.push(run);
  }
  return last.reverse();
}

/** From the start of an attempt's first run to the end of its last one; `null` without a run. */
export function durationOf(
  runs: readonly Pick<RunOutline, "startedAt" | "duration">[],
): number | null {
  if (runs.length <= 1) return runs[0]?.duration ?? null;
  const start = Math.min(...runs.map(({ startedAt }) => startedAt));
  return Math.max(...runs.map(({ startedAt, duration }) => startedAt + duration)) - start;
}

/**
 * Characters of a stored {@link HandlerFailure} in which its place is, long before its stack ends.
 */
export const FAILURE_START = 2000;
