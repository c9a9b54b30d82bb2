import type { AttemptRecord } from "./attempt-record.ts";
import type { Entry } from "./entry.ts";

/** A run without what takes much room. */
export type RunOutline = Pick<
  AttemptRecord,
  "attempt" | "handler" | "startedAt" | "duration" | "outcome" | "error"
>;

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
    const isOther = last.some(({ attempt, handler }) => attempt !== run.attempt || handler === run.handler);
    if (isOther) break;
    last.push(run);
  }
  return last.reverse();
}

/** Outlines from the runs and the beginnings of bodies that a store has read. */
export function toOutlines(
  { entries }: OutlineRequest,
  runs: readonly (readonly [seq: number, run: RunOutline])[],
  starts: ReadonlyMap<number, Uint8Array>,
): readonly EntryOutline[] {
  const bySeq = new Map<number, RunOutline[]>();
  for (const [seq, run] of runs) {
    const known = bySeq.get(seq);
    if (known === undefined) bySeq.set(seq, [run]);
    else known.push(run);
  }
  return entries.map(({ seq }) => ({
    seq,
    lastRuns: lastRunsOf(bySeq.get(seq) ?? []),
    bodyStart: starts.get(seq),
  }));
}
