import type { Life } from "./listen-process.ts";
import type { Effect, KeptEntry } from "./records.ts";

/** One run of an event's handler, or one forward of it, according to its effect. */
export interface Run {
  readonly id: string;
  readonly life: Life;
  readonly startedAt: number;
  /** `undefined` if the process was killed before the effect was done. */
  endedAt?: number;
  /** Whether the inbox has a record that it succeeded. */
  recorded: boolean;
}

/**
 * Milliseconds by which a run's record and its effect may differ, since two processes read their
 * clocks.
 */
const SLACK = 5;

/** The runs of each event, in the order they started. */
export function runsOf(
  effects: readonly Effect[],
  entries: readonly KeptEntry[],
  lives: readonly Life[],
): ReadonlyMap<string, readonly Run[]> {
  const byNumber = new Map(lives.map((life) => [life.number, life]));
  const runs = new Map<string, Run[]>();
  for (const { id, life: number, phase, at } of effects) {
    const life = byNumber.get(number);
    if (life === undefined)
      throw new Error(`expected effects of known lives only, got life ${number}`);
    const known = runs.get(id) ?? [];
    runs.set(id, known);
    if (phase === "start") known.push({ id, life, startedAt: at, recorded: false });
    else finish(known, life, at);
  }
  for (const { id, records } of entries)
    for (const record of records) match(runs.get(id) ?? [], record);
  for (const known of runs.values()) known.sort((a, b) => a.startedAt - b.startedAt);
  return runs;
}

function finish(known: readonly Run[], life: Life, at: number): void {
  const run = known.find((run) => run.life === life && run.endedAt === undefined);
  if (run === undefined)
    throw new Error(`an effect of life ${life.number} was done before it started`);
  run.endedAt = at;
}

/** Finds the run of a record: the one at the record's time. */
function match(
  runs: readonly Run[],
  { startedAt, duration, outcome }: KeptEntry["records"][number],
): void {
  if (outcome !== "ok") return;
  const run = runs.find((run) => {
    const start = startedAt - run.life.clockAhead;
    const within = run.startedAt >= start - SLACK && run.startedAt <= start + duration + SLACK;
    return within && run.endedAt !== undefined && !run.recorded;
  });
  if (run !== undefined) run.recorded = true;
}
