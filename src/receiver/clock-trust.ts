/**
 * Whether the wall clock may be believed when it says that something is old enough to be dropped for good. A clock that
 * leaps ahead (a wrong time server, a machine whose battery is empty, a laptop that wakes up) makes everything old at
 * once, and may be put right again. Pure: the clocks are read elsewhere.
 */

/** Both clocks at one moment, in milliseconds. */
export interface Moment {
  /** Since 1970, as the machine believes; may leap in either direction. */
  readonly wall: number;
  /** Since any moment; only ever goes on, at the pace of time. */
  readonly monotonic: number;
}

/** What is known of the wall clock. */
export interface ClockTrust {
  readonly last: Moment;
  /** By the monotonic clock, when the wall clock may be believed, if it does not leap until then. */
  readonly trustedFrom: number;
}

/** Milliseconds that the wall clock must agree with the monotonic one after a leap. */
export const AGREEMENT = 60 * 60_000;
/** Milliseconds that both may differ from one look to the next: a clock that is being adjusted drifts by less. */
export const TOLERANCE = 60_000;
/** Milliseconds without an entry after which a start does not believe the clock at once. */
export const QUIET = 2 * 24 * 60 * 60_000;

/**
 * Trust at a start, when there is nothing to compare with but the inbox: a clock that leapt before the start makes its last
 * entry old. An inbox that is quiet for days looks the same, and may wait for an hour.
 *
 * @param lastReceived - when the last entry arrived, those of the last {@link AGREEMENT} left out: what came after a leap
 * has the new time, and must not vouch for it at the next start. `undefined` if there is none
 */
export function trustAtStart(now: Moment, lastReceived: number | undefined): ClockTrust {
  const quiet = lastReceived !== undefined && now.wall - lastReceived > QUIET;
  return { last: now, trustedFrom: now.monotonic + (quiet ? AGREEMENT : 0) };
}

/** Trust at a later moment, and by how many milliseconds the wall clock leapt since the last one; 0 if it did not. */
export function trustAt(now: Moment, { last, trustedFrom }: ClockTrust): ClockTrust & { leap: number } {
  const ahead = now.wall - last.wall - (now.monotonic - last.monotonic);
  const leap = Math.abs(ahead) > TOLERANCE ? ahead : 0;
  return { last: now, trustedFrom: leap === 0 ? trustedFrom : now.monotonic + AGREEMENT, leap };
}

/** Whether the wall clock may be believed now. */
export function isTrusted({ last, trustedFrom }: ClockTrust): boolean {
  return last.monotonic >= trustedFrom;
}
