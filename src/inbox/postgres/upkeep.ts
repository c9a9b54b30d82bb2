import type { Logger } from "../../base/logger.ts";
import { within } from "../../base/within.ts";
import { describeError } from "../../errors.ts";
import type { StoreClock } from "./clock.ts";
import { LIFT_LIMIT, LONG_TIMEOUT, type Store } from "./store.ts";

/** Days that are made ahead: a process that lives looks far more often. */
const DAYS_AHEAD = 3;
/** Milliseconds between looks, and while days are missing. */
const PERIOD = 3_600_000;
const SHORT_PERIOD = 30_000;
const DAY_MS = 86_400_000;
/** Milliseconds that a look may still take once the inbox closes: a server that hangs must not hold it up. */
const LAST_LOOK = 5000;
/** Looks in a row that do not make what is missing, after which it is logged. */
const MANY = 3;

/** The time up to which there are partitions of days. */
interface DaysLeft {
  readonly until: number;
  /** Milliseconds until then, by the time of the database. */
  readonly ms: number;
}

/** Measures the clock, and makes the days' partitions in time; else rows go to one for all later days, not refused. */
export class Upkeep {
  readonly #store: Store;
  readonly #clock: StoreClock;
  readonly #log: Logger | undefined;
  #failures = 0;
  /** Each state of missing days is logged once. */
  #warned: "not_made" | "run_out" | undefined;
  #timer: NodeJS.Timeout | undefined;
  #working: Promise<unknown> | undefined;
  #stopped = false;

  constructor(store: Store, clock: StoreClock, log: Logger | undefined) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
  }

  /** Looks now, and again from time to time. The clock is measured again with each sign of life. */
  async start(): Promise<void> {
    await this.#clock.measure(this.#store).catch(() => {});
    await this.#look();
  }

  /** Resolves once a look in progress has ended, or after 5 seconds. Closing the connections ends it then. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    if (this.#working !== undefined) await within(this.#working, LAST_LOOK, () => undefined);
  }

  async #look(): Promise<void> {
    const working = this.#makeDays();
    this.#working = working;
    const period = (await working) ? PERIOD : SHORT_PERIOD;
    if (this.#stopped) return;
    this.#timer = setTimeout(() => void this.#look(), period).unref();
  }

  /** Resolves to whether there are enough days now. */
  async #makeDays(): Promise<boolean> {
    let left: DaysLeft | undefined;
    try {
      left = await daysLeft(this.#store);
      const made = await makeDays(this.#store);
      const shared = made > 0 ? await sharedDays(this.#store, left.until) : 1;
      if (shared > 1) this.#log?.warn({ days: shared }, SHARED);
      await this.#store.query("SELECT @.analyze_first()", [], LONG_TIMEOUT);
      // Another session may hold the lock for making days, or hold it for ever.
      const areEnough = made > 0 || left.ms >= DAY_MS;
      if (areEnough) {
        this.#failures = 0;
        this.#warned = undefined;
      } else this.#notMade(left, undefined);
      return areEnough;
    } catch (thrown) {
      this.#notMade(left, thrown);
      return false;
    }
  }

  /** The days could not be made, or their number is not even known. */
  #notMade(left: DaysLeft | undefined, thrown: unknown): void {
    if (++this.#failures < MANY) return;
    const state = left !== undefined && left.ms <= 0 ? "run_out" : "not_made";
    if (this.#warned === state || this.#warned === "run_out") return;
    this.#warned = state;
    const fields = {
      ...(left && { daysLeft: Math.floor(left.ms / DAY_MS) }),
      ...(thrown !== undefined && { error: describeError(thrown) }),
    };
    this.#log?.warn(fields, state === "run_out" ? RUN_OUT : NOT_MADE);
  }
}

/** If entries came after the last day that there was. */
const SHARED =
  "the inbox had no partitions for some days, so the entries of those days share one; nothing is lost";
const RUN_OUT =
  "the inbox has no partition for today, and none could be made: entries go to one for all later days; nothing is lost";
const NOT_MADE = "the inbox's partitions for the next days could not be made; nothing is lost";

/** Makes the partitions up to some days after the time of the database; returns how many days. */
export async function makeDays(store: Store, ahead = DAYS_AHEAD): Promise<number> {
  const sql = "SELECT @.make_days((extract(epoch FROM now()) * 1000)::bigint, $1::int) AS made";
  return store.transaction(async (query) => {
    await query(LIFT_LIMIT);
    return Number((await query(sql, [ahead]))[0]?.made);
  }, LONG_TIMEOUT);
}

async function daysLeft(store: Store): Promise<DaysLeft> {
  const [row] = await store.query(
    "SELECT max(until) AS until, max(until) - extract(epoch FROM now()) * 1000 AS ms FROM @.day",
  );
  return { until: Number(row?.until), ms: Number(row?.ms) };
}

/** How many days share one partition among those from a time on. */
async function sharedDays(store: Store, from: number): Promise<number> {
  const longest = await store.number("SELECT max(until - first) FROM @.day WHERE first >= $1::bigint", [
    from,
  ]);
  return longest / DAY_MS;
}
