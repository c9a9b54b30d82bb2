import type { Difference } from "../event/difference.ts";

/** Notices events whose `data` differs from what was seen before. Made by `watchDrift`. */
export interface DriftWatch {
  /** Returns how an event's `data` differs; only what it has not returned before. */
  differences(kind: string, data: unknown): readonly Difference[];
}

/** One way in which events began to differ, with the first entry of which that is so. */
export interface Drift extends Difference {
  readonly kind: string;
  readonly seq: number;
  readonly eventId: string;
}
