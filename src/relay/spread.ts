import { type ChaosOptions, type Disturbed, disturb, type Sendable } from "./chaos.ts";
import { seededRandom } from "./random.ts";
import { type ScheduleOptions, schedule } from "./schedule.ts";

/** Chaos has its own random sequence, so that it does not change the order and the delays of a seed. */
const CHAOS_ROW = 0x9e3779b9;

/** Spreads sendings out and disturbs them. Pure, so that a seed repeats a run. */
export function spread<Item extends Sendable>(
  sendings: readonly Item[],
  schedules: ScheduleOptions,
  chaos: ChaosOptions,
  seed: number,
): readonly Disturbed<Item>[] {
  const scheduled = schedule(sendings, schedules, seededRandom(seed));
  return disturb(scheduled, chaos, seededRandom((seed ^ CHAOS_ROW) >>> 0));
}
