import { checkOptions, invalid, MAX_TIMER, wholeNumber } from "../../base/options/check-options.ts";

/** How long a drain may take. */
export interface DrainOptions {
  /**
   * Milliseconds until the drain has ended. A handler starts only if its `handlerTimeout` fits, so
   * it must be at least `handlerTimeout` plus 2 seconds, or plus a quarter of it if that is less.
   */
  readonly budget: number;
}

export const checkBudget = wholeNumber("milliseconds", 1, MAX_TIMER);

/** @throws ConfigurationError `option_invalid` */
export function checkDrain(
  options: unknown,
  what = "the options of drain",
): asserts options is DrainOptions {
  checkOptions(options, what, { budget: checkBudget });
  if (Reflect.get(Object(options), "budget") !== undefined) return;
  throw invalid(`${what} to have budget`, undefined, "pass { budget: 25_000 }");
}
