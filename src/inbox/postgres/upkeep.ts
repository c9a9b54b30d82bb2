import { describeError } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import { withTimeout } from "../../base/with-timeout.ts";
import type { StoreClock } from "./clock.ts";
import { LIFT_LIMIT, LONG_TIMEOUT, type Store } from "./store.ts";

/** Days that are made ahead: a process that lives looks far more often. */
const DAYS_AHEAD = 3;
/** Milliseconds between looks, and while days are missing. */
const PERIOD = 3_600_000;
const SHORT_PERIOD = 30_000;
const DAY_MS = 86_400_000;
/**
 * Milliseconds that a look may still take once the inbox closes: a server that hangs must not hold
 * it up.
 */
const LAST_LOOK = 5000;
/** Looks in a row that do not make what is missing, after which it is logged. */
const MANY = 3;

/** The time up to which there are partitions of days. */
interface DaysLeft {
  readonly until: number;
  /** Milliseconds until then, by the time of the database. */
  readonly ms: number;
}

/**
 * Measures the clock, and makes the days' partitions in time; else rows go to one for all later
 * days, not refused.
 */
export function keepDays(store: Store, clock: StoreClock, log: Logger | undefined) {
  let failures = 0;
  /** Each state of missing days is logged once. */
  let warned: "not_made" | "run_out" | undefined;
  let timer: NodeJS.Timeout | undefined;
  let working: Promise<unknown> | undefined;
  let stopped = false;
  /** The days could not be made, or their number is not even known. */
  const notMade = (left: DaysLeft | undefined, thrown: unknown): void => {
    if (++failures < MANY) return;
    const state = left !== undefined && left.ms <= 0 ? "run_out" : "not_made";
    if (warned === state || warned === "run_out") return;
    warned = state;
    const days = left && { daysLeft: Math.floor(left.ms / DAY_MS) };
    const error = thrown === undefined ? undefined : { error: describeError(thrown) };
    log?.warn({ ...days, ...error }, state === "run_out" ? RUN_OUT : NOT_MADE);
  };
  /** Resolves to after how many milliseconds to look again. */
  const makeMissing = async (): Promise<number> => {
    let left: DaysLeft | undefined;
    try {
      left = await daysLeft(store);
      const made = await makeDays(store);
      const shared = made > 0 ? await sharedDays(store, left.until) : 1;
      if (shared > 1) log?.warn({ days: shared }, SHARED);
      await store.query("SELECT @.analyze_first()", [], LONG_TIMEOUT);
      // Another session may hold the lock for making days, or hold it for ever.
      if (made > 0 || left.ms >= DAY_MS) {
        [failures, warned] = [0, undefined];
        return PERIOD;
      }
      notMade(left, undefined);
    } catch (thrown) {
      notMade(left, thrown);
    }
    return SHORT_PERIOD;
  };
  const look = async (): Promise<void> => {
    const period = makeMissing();
    working = period;
    const ms = await period;
    if (!stopped) timer = setTimeout(() => void look(), ms).unref();
  };
  /** Looks now, and again from time to time. The clock is measured again with each sign of life. */
  const start = () => clock.measure(store).then(look, look);
  /**
   * Resolves once a look in progress has ended, or after 5 seconds. Closing the connections ends it
   * then.
   */
  const stop = async () => {
    stopped = true;
    clearTimeout(timer);
    if (working !== undefined) await withTimeout(working, LAST_LOOK, () => undefined);
  };
  return { start, stop };
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
  const longest = await store.number(
    "SELECT max(until - first) FROM @.day WHERE first >= $1::bigint",
    [from],
  );
  return longest / DAY_MS;
}
