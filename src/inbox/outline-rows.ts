import { grouped } from "../base/grouped.ts";
import { inlineRuns } from "./inline-runs.ts";
import { type EntryOutline, lastRunsOf, type OutlineRequest, type RunOutline } from "./outline.ts";
import { type Row, toAttempt } from "./rows.ts";

/** The place in the beginning of a failure that is stored as JSON. */
function placeIn(start: unknown): string | null {
  const [, place] = /"at":("(?:[^"\\]|\\.)*")/u.exec(typeof start === "string" ? start : "") ?? [];
  return place === undefined ? null : JSON.parse(place);
}

/** The rows that a store has read of entries, each with its `seq`. */
export interface OutlineRows {
  /** Recorded runs, with the start of their failure as `place`. */
  readonly runs: readonly Row[];
  /** `finished_handlers`, which hold the other runs. */
  readonly finished: readonly Row[];
  /** The `start` of each body. */
  readonly starts: readonly Row[];
}

export function toOutlines(
  { entries }: OutlineRequest,
  rows: OutlineRows,
): readonly EntryOutline[] {
  const runs = [
    ...rows.runs.map(
      (row) => [Number(row.seq), { ...toAttempt(row), at: placeIn(row.place) }] as const,
    ),
    ...rows.finished.flatMap((row) =>
      inlineRuns(row.finished_handlers).map((run) => [Number(row.seq), run] as const),
    ),
  ];
  const bySeq = grouped<number, readonly [number, RunOutline]>(runs, ([seq]) => seq);
  const starts = new Map(rows.starts.map(({ seq, start }) => [Number(seq), start as Uint8Array]));
  return entries.map(({ seq }) => {
    const own = (bySeq.get(seq) ?? []).map(([, run]) => run);
    return { seq, lastRuns: lastRunsOf(own), bodyStart: starts.get(seq) };
  });
}
