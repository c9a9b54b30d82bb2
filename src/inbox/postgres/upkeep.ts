import { describeError } from "../../errors.ts";
import type { Logger } from "../../logger.ts";
import type { StoreClock } from "./clock.ts";
import { LONG_TIMEOUT, type Store } from "./store.ts";

/** Days that are made ahead: a process that lives looks far more often. */
const DAYS_AHEAD = 3;
/** Milliseconds between looks. */
const PERIOD = 30_000;
/** Failures in a row from which one is logged. */
const MANY = 3;

/**
 * Measures the clock, and makes the days' partitions in time. If it cannot make them, rows go to a partition for all
 * later days: nothing is refused.
 */
export class Upkeep {
  readonly #store: Store;
  readonly #clock: StoreClock;
  readonly #log: Logger | undefined;
  #timer: NodeJS.Timeout | undefined;
  #working: Promise<void> | undefined;
  #failures = 0;
  #stopped = false;

  constructor(store: Store, clock: StoreClock, log: Logger | undefined) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
  }

  /** Looks now, and again from time to time. */
  async start(): Promise<void> {
    await this.#look();
  }

  /** Resolves once a look in progress has ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#working;
  }

  async #look(): Promise<void> {
    this.#working = this.#measureClock().then(() => this.#makeDays());
    await this.#working;
    if (this.#stopped) return;
    this.#timer = setTimeout(() => void this.#look(), PERIOD).unref();
  }

  /** If the database does not answer, the last measurement serves. */
  async #measureClock(): Promise<void> {
    await this.#clock.measure(this.#store).catch(() => {});
  }

  async #makeDays(): Promise<void> {
    try {
      await makeDays(this.#store);
      await this.#store.query("SELECT @.analyze_first()", [], LONG_TIMEOUT);
      this.#failures = 0;
    } catch (thrown) {
      if (++this.#failures % MANY !== 0) return;
      const fields = { error: describeError(thrown) };
      this.#log?.warn(fields, "the inbox's partitions for the next days could not be made; nothing is lost");
    }
  }
}

/** Makes the partitions up to some days after the time of the database; returns how many days. */
export async function makeDays(store: Store, ahead = DAYS_AHEAD): Promise<number> {
  const [row] = await store.query(
    "SELECT @.make_days((extract(epoch FROM now()) * 1000)::bigint, $1::int) AS made",
    [ahead],
    LONG_TIMEOUT,
  );
  return Number(row?.made);
}
