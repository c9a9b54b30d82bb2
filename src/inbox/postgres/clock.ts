import type { Store } from "./store.ts";

/** Milliseconds by which two clocks may differ and still count as the same: far less than a lease. */
const SAME = 1000;

/**
 * The time of the database, which all machines of an inbox share: a machine whose clock is ahead must not take leases
 * that have not ended. Between two measurements it goes on with a clock that nobody sets.
 */
export class StoreClock {
  readonly #wall: () => number;
  /** The database's time at an instant of the monotonic clock. */
  #measured: { readonly time: number; readonly at: number } | undefined;

  constructor(wall: () => number = Date.now) {
    this.#wall = wall;
  }

  /** Asks the database for its time; the answer is taken to be half a round trip old. */
  async measure(store: Store): Promise<void> {
    const sent = performance.now();
    const [row] = await store.query("SELECT extract(epoch FROM clock_timestamp()) * 1000 AS time");
    this.note(Number(row?.time), sent);
  }

  /** Takes note of the database's time, which was asked for at an instant of the monotonic clock. */
  note(time: number, sent: number): void {
    this.#measured = { time, at: (sent + performance.now()) / 2 };
  }

  /** Whole milliseconds since 1970. */
  now(): number {
    const wall = Math.floor(this.#wall());
    if (this.#measured === undefined) return wall;
    const { time, at } = this.#measured;
    const theirs = Math.floor(time + performance.now() - at);
    return Math.abs(theirs - wall) < SAME ? wall : theirs;
  }
}
