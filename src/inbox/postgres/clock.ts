import type { Store } from "./store.ts";

/**
 * Milliseconds by which two clocks may differ and still count as the same: far less than a lease.
 */
const SAME = 1000;

/**
 * The time of the database, which all machines of an inbox share: a machine whose clock is ahead
 * must not take leases that have not ended. Between two measurements it goes on with a clock that
 * nobody sets.
 */
export function storeClock(wallClock: () => number = Date.now) {
  /** The database's time at an instant of the monotonic clock. */
  let measured: { readonly time: number; readonly at: number } | undefined;
  /**
   * Takes note of the database's time, which was asked for at an instant of the monotonic clock.
   */
  const note = (time: number, sent: number): void => {
    measured = { time, at: (sent + performance.now()) / 2 };
  };
  /** Asks the database for its time; the answer is taken to be half a round trip old. */
  const measure = async (store: Store): Promise<void> => {
    const sent = performance.now();
    const [row] = await store.query(
      "SELECT extract(epoch FROM clock_timestamp())::float8 * 1000::float8 AS time",
    );
    note(Number(row?.time), sent);
  };
  /** Whole milliseconds since 1970. */
  const now = (): number => {
    const wall = Math.floor(wallClock());
    if (measured === undefined) return wall;
    const theirs = Math.floor(measured.time + performance.now() - measured.at);
    return Math.abs(theirs - wall) < SAME ? wall : theirs;
  };
  return { note, measure, now };
}

export type StoreClock = ReturnType<typeof storeClock>;
