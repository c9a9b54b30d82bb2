import { PAUSED } from "./pause.ts";

/**
 * That an entry waits for a target, or was given up on for it. Times are milliseconds since 1970.
 */
export interface TargetWait {
  /** The target's name: that of a handler's option `target`. */
  readonly target: string;
  /** Since when it waits. */
  readonly since: number;
  /** Its failed attempts at this target. */
  readonly attempts: number;
  /** When its back-off is over; it may be tried sooner, to find out whether the target is back. */
  readonly nextAt: number;
  /** Why it is not tried again, as a stable code; `null` while it waits. */
  readonly over: string | null;
}

/** How many entries wait for a target. */
export interface TargetCount {
  readonly target: string;
  readonly entries: number;
}

/** The reason of an entry that waits for a target that does not answer. */
export const TARGET_AWAY = "target_away";

/** The reason of a dead letter that a person let go. */
export const DROPPED = "dropped";

/** What an entry waits for that has no time, if it does. */
export function onceText(reason: string | null): string | undefined {
  if (reason === PAUSED) return "once it is resumed";
  return reason === TARGET_AWAY ? "once its target answers" : undefined;
}
