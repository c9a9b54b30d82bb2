import type { Answered, KeptEntry, Records } from "./records.ts";
import { type Run, runsOf } from "./runs.ts";

/** The results of all deliveries of a run. Numbers count events unless stated otherwise. */
export interface Tally {
  /** Processes killed. */
  readonly kills: number;
  /** May have reached the receiver at least in part. */
  readonly sent: number;
  /** The sender received at least one complete 200. */
  readonly acknowledged: number;
  /** Acknowledged, but without an entry, or ended without a completed run: a broken promise. */
  readonly lost: number;
  /** Still pending or running after the drain. */
  readonly stuck: number;
  /**
   * Had their effect more than once, each time because a kill fell between the effect and its
   * recording.
   */
  readonly twiceByKill: number;
  /** The longest of those times between an effect and the kill, in milliseconds. */
  readonly widestGap: number;
  /**
   * Had their effect more than once, or two concurrent runs, without a kill in between: a broken
   * promise.
   */
  readonly twiceByFault: number;
  /** Never acknowledged, but kept: a kill prevented the answer. */
  readonly unacknowledgedKept: number;
  /** Never acknowledged, and not kept. */
  readonly unacknowledgedAbsent: number;
  /** Dead letters, since kills exhausted their attempts. */
  readonly exhausted: number;
  /** Answers with `duplicate: true`. */
  readonly duplicateAnswers: number;
  /** Answers 503. */
  readonly unavailableAnswers: number;
  /** Runs interrupted by a kill. */
  readonly cutOff: number;
  /** A description of every broken promise, including the two kinds above. */
  readonly faults: readonly string[];
  readonly integrity: string;
}

/**
 * If a process recorded the end of one run, it must also have recorded every run that ended at
 * least this many milliseconds earlier.
 */
const IN_TURN = 250;

/** Attempts after which an entry is a dead letter: the default of `listen`. */
const ATTEMPTS = 10;

/** Counts the results of all deliveries, and finds the faults. */
export function tally({ lives, sent, answered, effects, entries, integrity }: Records): Tally {
  const runs = runsOf(effects, entries, lives);
  const kept = new Map(entries.map((entry) => [entry.id, entry]));
  const ids = new Set(sent.map(({ id }) => id));
  const acknowledged = new Set(answered.filter(({ status }) => status === 200).map(({ id }) => id));
  const missed = inTurnMissed(runs);
  const faults = [
    ...lives.flatMap(({ number, killedAt, exitCode }) =>
      killedAt === undefined && exitCode !== 0
        ? [`life ${number} ended by itself with ${exitCode}`]
        : [],
    ),
    ...wrongAnswers(answered, sent),
    ...wrongEntries(entries, sent),
    ...(integrity === "ok" ? [] : [`integrity: ${integrity}`]),
  ];
  const count = (what: (id: string) => string | undefined): number => {
    const found = [...ids].flatMap((id) => what(id) ?? []);
    faults.push(...found);
    return found.length;
  };
  const unacknowledged = [...ids].filter((id) => !acknowledged.has(id));
  const twice = [...runs.values()].filter((all) => all.filter(hasEnded).length > 1);
  const byKill = twice.filter((all) => twiceByFault(all, missed) === undefined);
  const faulty = count((id) => twiceByFault(runs.get(id) ?? [], missed));
  return {
    kills: lives.filter(({ killedAt }) => killedAt !== undefined).length,
    sent: ids.size,
    acknowledged: acknowledged.size,
    lost: count((id) =>
      acknowledged.has(id) ? lost(id, kept.get(id), runs.get(id) ?? []) : undefined,
    ),
    stuck: count((id) => stuck(id, kept.get(id))),
    twiceByKill: byKill.length,
    widestGap: Math.max(0, ...byKill.flatMap((all) => all.slice(0, -1).map(gapBeforeKill))),
    twiceByFault: faulty,
    unacknowledgedKept: unacknowledged.filter((id) => kept.has(id)).length,
    unacknowledgedAbsent: unacknowledged.filter((id) => !kept.has(id)).length,
    exhausted: entries.filter(({ reason }) => reason === "attempts_exhausted").length,
    duplicateAnswers: answered.filter(({ duplicate }) => duplicate === true).length,
    unavailableAnswers: answered.filter(({ status }) => status === 503).length,
    cutOff: [...runs.values()].flat().filter((run) => !hasEnded(run)).length,
    faults,
    integrity,
  };
}

/** The counts on one line; faults are counted, not listed. */
export function tallyLine({ faults, integrity, ...counts }: Tally): string {
  const words = (name: string) => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  const parts = Object.entries(counts).map(([name, value]) => `${words(name)} ${value}`);
  return `${parts.join(", ")}, faults ${faults.length}, integrity ${integrity}`;
}

function hasEnded({ endedAt }: Run): boolean {
  return endedAt !== undefined;
}

function gapBeforeKill({ life, endedAt }: Run): number {
  return endedAt === undefined || life.killedAt === undefined ? 0 : life.killedAt - endedAt;
}

function lost(id: string, entry: KeptEntry | undefined, runs: readonly Run[]): string | undefined {
  if (entry === undefined) return `${id} was acknowledged and has no entry`;
  if (entry.state === "dead" || runs.some(hasEnded)) return undefined;
  return `${id} was acknowledged and is ${entry.state}, but no run of it completed`;
}

function stuck(id: string, entry: KeptEntry | undefined): string | undefined {
  const waits = entry?.state === "waiting" || entry?.state === "running";
  return waits ? `${id} is still ${entry.state} after ${entry.attempts} attempts` : undefined;
}

/**
 * A second run is allowed only if the first one's process was killed before, and had not recorded
 * its end.
 */
function twiceByFault(runs: readonly Run[], missed: ReadonlySet<Run>): string | undefined {
  for (const [index, run] of runs.slice(0, -1).entries()) {
    const { id, life, recorded } = run;
    const next = runs[index + 1];
    if (recorded) return `${id} ran again after life ${life.number} had recorded its end`;
    if (life.killedAt === undefined || life.killedAt > (next?.startedAt ?? 0)) {
      return `${id} ran in life ${next?.life.number} while life ${life.number} was running it`;
    }
    if (missed.has(run))
      return `${id} ended in life ${life.number}, which recorded later ends but not this one`;
  }
  return undefined;
}

/** Runs that ended unrecorded, although their process recorded one that ended well after them. */
function inTurnMissed(runs: ReadonlyMap<string, readonly Run[]>): ReadonlySet<Run> {
  const ended = [...runs.values()].flat().filter(hasEnded);
  const lastRecorded = new Map<number, number>();
  for (const { life, recorded, endedAt = 0 } of ended) {
    if (recorded)
      lastRecorded.set(life.number, Math.max(endedAt, lastRecorded.get(life.number) ?? 0));
  }
  const late = ({ life, recorded, endedAt = 0 }: Run) =>
    !recorded && endedAt + IN_TURN < (lastRecorded.get(life.number) ?? 0);
  return new Set(ended.filter(late));
}

/** Each delivery is new at most once, and a duplicate afterwards. */
function wrongAnswers(answered: readonly Answered[], sent: Records["sent"]): readonly string[] {
  const sendings = new Map<string, number>();
  for (const { id } of sent) sendings.set(id, (sendings.get(id) ?? 0) + 1);
  const seen = new Set<string>();
  return answered.flatMap(({ id, status, received, duplicate }) => {
    if (status === 503) return [];
    if (status !== 200 || !received) return [`${id} was answered ${status}`];
    const known = seen.has(id);
    seen.add(id);
    if (known && duplicate === false) return [`${id} was new twice`];
    return duplicate === true && sendings.get(id) === 1
      ? [`${id} was sent once and answered as a duplicate`]
      : [];
  });
}

/** One entry per event, with the bytes sent; dead only if kills exhausted its attempts. */
function wrongEntries(entries: readonly KeptEntry[], sent: Records["sent"]): readonly string[] {
  const hashes = new Map(sent.map(({ id, hash }) => [id, hash]));
  const seen = new Set<string>();
  return entries.flatMap(({ id, state, reason, attempts, bodyHash }) => {
    const twice = seen.has(id);
    seen.add(id);
    if (twice) return [`${id} has two entries`];
    if (hashes.get(id) !== bodyHash)
      return [`${id} was stored with different bytes than were sent`];
    const spent = reason === "attempts_exhausted" && attempts === ATTEMPTS;
    return state === "received" || (state === "dead" && !spent)
      ? [`${id} is ${state}: ${reason}`]
      : [];
  });
}
