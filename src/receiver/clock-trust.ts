/**
 * Decides whether to trust the wall clock when it says that something is old enough to delete. A
 * clock that jumps ahead (a wrong time server, an empty battery, a laptop that wakes up) makes
 * everything old at once, and may be corrected later. Pure: the clocks are read elsewhere.
 */

/** Readings of both clocks at one moment, in milliseconds. */
export interface Moment {
  /** Since 1970, according to the machine; may jump in either direction. */
  readonly wall: number;
  /** Since an arbitrary moment; never jumps. */
  readonly monotonic: number;
}

export interface ClockTrust {
  readonly last: Moment;
  /** Monotonic time from which the wall clock is trusted, if it does not jump before. */
  readonly trustedFrom: number;
}

/** Milliseconds for which the wall clock must agree with the monotonic one after a jump. */
export const CLOCK_AGREEMENT_TIME = 60 * 60_000;
/**
 * Milliseconds by which the clocks may diverge between two readings: a clock that is being adjusted
 * drifts by less.
 */
export const TOLERANCE = 60_000;
/** Milliseconds without an entry after which the clock is not trusted at once at start. */
export const QUIET = 2 * 24 * 60 * 60_000;

/**
 * Trust at start, when only the inbox is there to compare with: if the clock jumped ahead before,
 * the last entry looks old. An inbox without deliveries for days looks the same, and waits for an
 * hour.
 *
 * @param lastReceived - when the last entry arrived, ignoring those of the last
 * {@link CLOCK_AGREEMENT_TIME}: entries received after a jump carry the new time, and must not
 * confirm it at the next start. `undefined` if there is none
 */
export function trustAtStart(now: Moment, lastReceived: number | undefined): ClockTrust {
  const quiet = lastReceived !== undefined && now.wall - lastReceived > QUIET;
  return { last: now, trustedFrom: now.monotonic + (quiet ? CLOCK_AGREEMENT_TIME : 0) };
}

/**
 * Trust at a later moment. `leap` is the milliseconds by which the wall clock jumped since the last
 * one, or 0.
 */
export function trustAt(
  now: Moment,
  { last, trustedFrom }: ClockTrust,
): ClockTrust & { leap: number } {
  const ahead = now.wall - last.wall - (now.monotonic - last.monotonic);
  const leap = Math.abs(ahead) > TOLERANCE ? ahead : 0;
  return {
    last: now,
    trustedFrom: leap === 0 ? trustedFrom : now.monotonic + CLOCK_AGREEMENT_TIME,
    leap,
  };
}

export function isTrusted({ last, trustedFrom }: ClockTrust): boolean {
  return last.monotonic >= trustedFrom;
}
