import type { CheckCase } from "./catalogue.ts";
import type { CheckResult } from "./check-result.ts";
import type { LimitCode } from "./limits.ts";
import type { Observer } from "./observer.ts";
import type { ProbeOptions } from "./probe.ts";

export interface CheckOptions extends Omit<ProbeOptions, "runName" | "counter" | "pace"> {
  /** The cases in order; the control comes first. */
  readonly cases: readonly CheckCase[];
  /** How many cases run at a time. */
  readonly concurrency: number;
  /** Reports how often an event ran. Without it, cases that observe are not run. */
  readonly observer?: Observer;
  /** Milliseconds to watch for a late second run, after an event ran. */
  readonly settle: number;
  /** Milliseconds after which an answer is slow. Default: 5 s. */
  readonly slow?: number;
  /** Milliseconds to wait for a receiver that went away to come back. */
  readonly patience?: number;
  /** Milliseconds after which no further case is sent. Default: no limit. */
  readonly maxTime?: number;
  /** At most this many requests per second. Default: no limit. */
  readonly rate?: number;
  /** Waits for a receiver that refuses everything for a time. Default: by the clock. */
  readonly wait?: (milliseconds: number) => Promise<unknown>;
  /**
   * Called with the milliseconds of each wait for a receiver that refuses everything for a time,
   * and why.
   */
  readonly onWait?: (milliseconds: number, why: LimitCode) => void;
  /** Called with each result, in the order of the cases. */
  readonly onResult?: (result: CheckResult) => void;
}
