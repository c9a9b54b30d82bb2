import { ACTIVITIES, type Activity, activityOf } from "./activity.ts";
import { Tally } from "./tally.ts";
import { type Frame, type ProfileNode, selfTimes, stacks, type V8Profile } from "./v8-profile.ts";

/**
 * How a thread spent its time. Shares are of its busy time, which excludes idle time and garbage
 * collection.
 */
export interface Breakdown {
  readonly busyMicros: number;
  readonly shares: Readonly<Record<Activity, number>>;
  /** The functions with the most self time, in descending order. */
  readonly hottest: readonly Hot[];
  /** Shares of the total time. */
  readonly idle: number;
  readonly garbageCollection: number;
}

/** A function with much self time. */
export interface Hot extends Frame {
  /**
   * For Node's own and native functions: the file that called them. Empty if that is Node itself.
   */
  readonly worksFor: string;
  readonly share: number;
}

const IDLE = "(idle)";
const COLLECTING = "(garbage collector)";
const HOTTEST = 15;

/** Divides a profile's time by activity. */
export function breakDown(
  profile: V8Profile,
  fileOf: (callFrame: ProfileNode["callFrame"]) => string,
): Breakdown {
  const stackOf = stacks(profile, fileOf);
  const apart = { [IDLE]: 0, [COLLECTING]: 0 };
  const activities = new Tally<Activity>();
  const functions = new Tally<string>();
  const frames = new Map<string, Omit<Hot, "share">>();
  for (const [id, time] of selfTimes(profile)) {
    const [frame, ...under] = stackOf(id);
    if (frame === undefined) continue;
    if (frame.name === IDLE || frame.name === COLLECTING) {
      apart[frame.name] += time;
      continue;
    }
    activities.add(activityOf([frame, ...under]), time);
    const hot = {
      ...frame,
      worksFor: isOfNode(frame) ? (under.find(isNotOfNode)?.file ?? "") : "",
    };
    const name = JSON.stringify(hot);
    functions.add(name, time);
    frames.set(name, hot);
  }
  const whole = activities.sum + apart[IDLE] + apart[COLLECTING];
  const shares = ACTIVITIES.map((activity) => [
    activity,
    share(activities.of(activity), activities.sum),
  ]);
  const hottest = functions.most(HOTTEST).flatMap(([name, time]) => {
    const frame = frames.get(name);
    return frame === undefined ? [] : [{ ...frame, share: share(time, functions.sum) }];
  });
  return {
    busyMicros: activities.sum,
    shares: Object.fromEntries(shares) as Record<Activity, number>,
    hottest,
    idle: share(apart[IDLE], whole),
    garbageCollection: share(apart[COLLECTING], whole),
  };
}

function isOfNode({ file }: Frame): boolean {
  return file === "" || file.startsWith("node:");
}

function isNotOfNode(frame: Frame): boolean {
  return !isOfNode(frame);
}

function share(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}
