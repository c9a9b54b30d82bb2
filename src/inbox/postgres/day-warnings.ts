import type { Logger } from "../../base/logger.ts";
import { describeError } from "../../errors.ts";

/** Looks in a row that do not make what is missing, after which it is logged. */
const MANY = 3;
const DAY_MS = 86_400_000;

/** The time up to which there are partitions of days. */
export interface DaysLeft {
  readonly until: number;
  /** Milliseconds until then, by the time of the database. */
  readonly ms: number;
}

/** Logs each state of missing days once. */
export class DayWarnings {
  readonly #log: Logger | undefined;
  #failures = 0;
  #warned: "not_made" | "run_out" | undefined;

  constructor(log: Logger | undefined) {
    this.#log = log;
  }

  /** The days were made, or need not be. */
  enough(): void {
    this.#failures = 0;
    this.#warned = undefined;
  }

  /** Days were made; some share a partition if entries came after the last day that there was. */
  made(shared: number): void {
    if (shared <= 1) return;
    const fields = { days: shared };
    this.#log?.warn(
      fields,
      "the inbox had no partitions for some days, so the entries of those days share one; nothing is lost",
    );
  }

  /** The days could not be made, or their number is not even known. */
  notMade(left: DaysLeft | undefined, thrown: unknown): void {
    if (++this.#failures < MANY) return;
    const state = left !== undefined && left.ms <= 0 ? "run_out" : "not_made";
    if (this.#warned === state || this.#warned === "run_out") return;
    this.#warned = state;
    const fields = {
      ...(left && { daysLeft: Math.floor(left.ms / DAY_MS) }),
      ...(thrown !== undefined && { error: describeError(thrown) }),
    };
    this.#log?.warn(
      fields,
      state === "run_out"
        ? "the inbox has no partition for today, and none could be made: entries go to one for all later days; nothing is lost"
        : "the inbox's partitions for the next days could not be made; nothing is lost",
    );
  }
}
