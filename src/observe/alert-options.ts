import {
  anyFunction,
  type Check,
  checkOptions,
  MAX_TIMER,
  syncFunction,
  wholeNumber,
} from "../options/check-options.ts";
import type { Alert } from "./alert.ts";

/** Options of {@link watchAlerts}. */
export interface AlertOptions {
  /** Called when a condition begins to hold, and when it is over. If it throws, that is not repeated. */
  readonly onAlert: (alert: Alert) => unknown;
  /** How many dead letters may wait for someone. Default 0. */
  readonly deadLetters?: number | undefined;
  /** Milliseconds that an entry may be due and wait. Default 300000 (5 minutes). */
  readonly oldestDue?: number | undefined;
  /** Bytes that the inbox may have; 90 % of them are an alert. Default: only the free disk counts. */
  readonly maxInboxSize?: number | undefined;
  /** Milliseconds between two looks at the inbox. Default 10000. */
  readonly every?: number | undefined;
  /** Milliseconds since 1970. Default: the inbox's clock, or `Date.now`. */
  readonly clock?: (() => number) | undefined;
}

const CHECKS: Readonly<Record<keyof AlertOptions, Check>> = {
  onAlert: anyFunction("pass (alert) => …"),
  deadLetters: wholeNumber("entries", 0),
  oldestDue: wholeNumber("milliseconds", 1),
  maxInboxSize: wholeNumber("bytes", 1),
  every: wholeNumber("milliseconds", 1, MAX_TIMER),
  clock: syncFunction("pass one that returns milliseconds since 1970, such as Date.now"),
};

/** Refuses what cannot work. @throws ConfigurationError `option_invalid` */
export function checkAlertOptions(options: AlertOptions): void {
  checkOptions(options, "the options of watchAlerts", CHECKS);
  anyFunction("pass (alert) => …")(options.onAlert, "onAlert");
}
