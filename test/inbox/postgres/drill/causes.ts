/**
 * A run of a handler in a process, as the process noted it; without `to` it had not ended. Times
 * are in Unix milliseconds.
 */
export interface Run {
  readonly number: number;
  readonly process: string;
  readonly from: number;
  readonly to?: number;
}

/**
 * What may make an entry run again. Losing only the connection that listens is no such cause. A
 * process is frozen by the drill, or by a machine that has no time for it, as the process itself
 * notes.
 */
export type Cause =
  | "kill"
  | "freeze past the lease"
  | "server restart"
  | "pooler kill"
  | "cut connection";

/** Something that was done to a process, or to all that it `reaches`. */
export interface Disturbance {
  readonly cause: Cause;
  readonly from: number;
  readonly to: number;
  readonly reaches?: (process: string) => boolean;
}

/** A time for which a process did nothing, as it noted itself. */
export interface Standstill {
  readonly process: string;
  readonly from: number;
  readonly to: number;
}

/**
 * Milliseconds that a result takes to be stored, and a connection to be back after it was cut, if
 * no process stands still.
 */
const GRACE = 1500;

/** How often a handler ran again, by the cause, and each time that has none. */
export interface RunsAgain {
  readonly byCause: Readonly<Record<string, number>>;
  readonly withoutCause: readonly string[];
}

/**
 * Says for each run that an earlier one of its entry preceded what became of that earlier one. For
 * as long as a process stood still that nobody froze, on a busy machine, everything may have taken
 * longer.
 */
export function causesOfRuns(
  runs: readonly Run[],
  disturbances: readonly Disturbance[],
  lease: number,
  still: readonly Standstill[] = [],
): RunsAgain {
  const unasked = still.filter(
    (standstill) => !disturbances.some((other) => isFreezeOf(standstill, other)),
  );
  const slow = unasked.map(({ process, ...times }): Disturbance => {
    return { cause: "freeze past the lease", ...times, reaches: (name) => name === process };
  });
  const grace = GRACE + Math.max(0, ...unasked.map(({ from, to }) => to - from));
  const terms = { disturbances: [...disturbances, ...slow], lease, grace };
  const byCause: Record<string, number> = {};
  const withoutCause: string[] = [];
  const earlier = new Map<number, Run>();
  for (const run of [...runs].sort((a, b) => a.from - b.from)) {
    const before = earlier.get(run.number);
    earlier.set(run.number, run);
    if (before === undefined) continue;
    const cause = causeOf(before, run.from, terms);
    if (cause === undefined) withoutCause.push(JSON.stringify({ ...before, again: run }));
    else byCause[cause] = (byCause[cause] ?? 0) + 1;
  }
  return { byCause, withoutCause };
}

function isFreezeOf({ process, from, to }: Standstill, other: Disturbance): boolean {
  if (other.cause !== "freeze past the lease" || other.reaches?.(process) !== true) return false;
  return other.from <= to && other.to >= from;
}

/**
 * Why a run did not count: what reached its process until its result was stored, or until the next
 * run.
 */
function causeOf(
  { process, from, to }: Run,
  next: number,
  {
    disturbances,
    lease,
    grace,
  }: { disturbances: readonly Disturbance[]; lease: number; grace: number },
): Cause | undefined {
  const reached = disturbances.filter(({ reaches }) => reaches === undefined || reaches(process));
  // A run that ended is stored soon; unless the process is killed or stands still in between.
  const until = to === undefined ? next : Math.min(next, to + grace);
  const during = reached.filter(
    (disturbance) => disturbance.from <= until && disturbance.to + grace >= from,
  );
  const frozen = during.filter(({ cause }) => cause === "freeze past the lease");
  // A lease is renewed after a third of it, so a process may stand still for two thirds, less what
  // a renewal takes.
  if (frozen.some((disturbance) => disturbance.to - disturbance.from >= lease / 2))
    return "freeze past the lease";
  return during.find(({ cause }) => cause !== "freeze past the lease")?.cause;
}
