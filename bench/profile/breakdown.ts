import { ACTIVITIES, type Activity, activityOf, type Frame } from "./activity.ts";
import { callers, type ProfileNode, selfTimes, type V8Profile } from "./v8-profile.ts";

/** Where a thread's time went; shares are of the time it was busy, which is neither idle nor garbage collection. */
export interface Breakdown {
  readonly busyMicros: number;
  readonly shares: Readonly<Record<Activity, number>>;
  /** The functions with most time of their own, most first. */
  readonly hottest: readonly (Frame & { readonly share: number })[];
  /** Shares of all time. */
  readonly idle: number;
  readonly garbageCollection: number;
}

const IDLE = "(idle)";
const COLLECTING = "(garbage collector)";
const HOTTEST = 15;

/** Divides the time of a profile by what the thread was at. */
export function breakDown(
  profile: V8Profile,
  fileOf: (callFrame: ProfileNode["callFrame"]) => string,
): Breakdown {
  const callerOf = callers(profile);
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const frames = new Map(
    profile.nodes.map(({ id, callFrame }) => [id, { name: callFrame.functionName, file: fileOf(callFrame) }]),
  );
  function* stackOf(node: ProfileNode | undefined): Generator<Frame> {
    for (let at = node; at !== undefined; at = callerOf.get(at.id)) {
      const frame = frames.get(at.id);
      if (frame !== undefined) yield frame;
    }
  }
  const apart = { [IDLE]: 0, [COLLECTING]: 0 };
  const micros = new Map<Activity, number>();
  const own = new Map<string, Frame & { micros: number }>();
  let busyMicros = 0;
  for (const [id, time] of selfTimes(profile)) {
    const frame = frames.get(id);
    if (frame === undefined) continue;
    if (frame.name === IDLE || frame.name === COLLECTING) {
      apart[frame.name] += time;
      continue;
    }
    busyMicros += time;
    const activity = activityOf(stackOf(nodes.get(id)));
    micros.set(activity, (micros.get(activity) ?? 0) + time);
    const name = `${frame.name} ${frame.file}`;
    own.set(name, { ...frame, micros: (own.get(name)?.micros ?? 0) + time });
  }
  const all = busyMicros + apart[IDLE] + apart[COLLECTING];
  const share = (part: number, whole: number) => (whole === 0 ? 0 : part / whole);
  const shares = ACTIVITIES.map((activity) => [activity, share(micros.get(activity) ?? 0, busyMicros)]);
  const byTime = [...own.values()].sort((a, b) => b.micros - a.micros).slice(0, HOTTEST);
  return {
    busyMicros,
    shares: Object.fromEntries(shares) as Record<Activity, number>,
    hottest: byTime.map(({ name, file, micros: time }) => ({ name, file, share: share(time, busyMicros) })),
    idle: share(apart[IDLE], all),
    garbageCollection: share(apart[COLLECTING], all),
  };
}
