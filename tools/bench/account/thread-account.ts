import { Tally } from "../profile/tally.ts";
import { type ProfileNode, selfTimes, stacks } from "../profile/v8-profile.ts";
import type { ThreadProfile } from "../server/cpu-profile.ts";
import type { ThreadUse } from "../server/threads.ts";
import { type RowName, rowOf } from "./rows.ts";

/** The row whose time is partly spent waiting for the disk. */
const COMMIT = "SQLite: COMMIT";

/** What a thread's processor time went to: microseconds per delivery. */
export interface ThreadAccount {
  readonly rows: Readonly<Record<string, number>>;
  /**
   * Processor time that no sample shows. V8 takes a thread that waits for sockets, and then reads
   * them, as idle.
   */
  readonly unsampled: number;
  /** The sum: the thread's processor time as the system measured it, without a profiler. */
  readonly cpu: number;
  /** Milliseconds of a commit's wait for the disk, on average; NaN if it is unknown. */
  readonly flushMs: number;
}

/** What is known about one thread. */
export interface ThreadFacts {
  readonly profile: ThreadProfile;
  /** Its use while it was profiled, and the deliveries then. */
  readonly profiled: Pick<ThreadUse, "cpu" | "queued" | "preempted"> | undefined;
  readonly deliveries: number;
  /**
   * Its processor time per delivery in microseconds, without a profiler; NaN if the system does not
   * tell.
   */
  readonly cpu: number;
}

/**
 * Accounts for a thread's time. A profile has wall-clock time, so two waits are subtracted from it:
 * that of commits for the disk, as measured, and that for the core, in equal parts. Then the rows
 * are scaled to the processor time without a profiler, which slows a thread down.
 */
export function accountFor(
  { profile, profiled, deliveries, cpu }: ThreadFacts,
  fileOf: (callFrame: ProfileNode["callFrame"]) => string,
): ThreadAccount {
  const tally = new Tally<RowName>();
  const stackOf = stacks(profile.profile, fileOf);
  for (const [id, micros] of selfTimes(profile.profile)) {
    const row = rowOf(stackOf(id));
    if (row !== undefined) tally.add(row, micros / deliveries);
  }
  const { count, measured, wall, cpu: committing } = profile.commits;
  const flushes = measured === 0 ? 0 : Math.max(0, 1 - committing / wall) * tally.of(COMMIT);
  tally.add(COMMIT, -flushes);
  const onCpu = profiled === undefined ? tally.sum : (profiled.cpu / deliveries) * 1e6;
  const own = Number.isNaN(cpu) ? tally.sum : cpu;
  const queued =
    profiled === undefined ? 0 : ((profiled.queued * profiled.preempted) / deliveries) * 1e6;
  const running = Math.max(0, Math.min(tally.sum - queued, onCpu));
  const scale = tally.sum === 0 ? 0 : (running / tally.sum) * (own / onCpu);
  const rows = tally
    .most(100)
    .flatMap(([row, micros]) => (micros > 0 ? [[row, micros * scale] as const] : []));
  return {
    rows: Object.fromEntries(rows),
    unsampled: own - rows.reduce((sum, [, micros]) => sum + micros, 0),
    cpu: own,
    flushMs: count === 0 || measured === 0 ? Number.NaN : ((wall - committing) / measured) * 1000,
  };
}
