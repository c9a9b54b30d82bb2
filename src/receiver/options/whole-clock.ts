import { ConfigurationError, describeError } from "../../errors.ts";
import { describeValue } from "../../options/describe-value.ts";

/**
 * A clock in whole milliseconds, as times are stored, even if the one given is finer.
 *
 * It throws a ConfigurationError `option_invalid` if the one given throws, or returns anything but a time.
 */
export function wholeClock(clock: () => number): () => number {
  return () => {
    let now: unknown;
    try {
      now = clock();
    } catch (cause) {
      throw noTime(`an error: ${describeError(cause)}`, { cause });
    }
    const whole = typeof now === "number" ? Math.trunc(now) : Number.NaN;
    if (!Number.isSafeInteger(whole)) throw noTime(describeValue(now));
    return whole;
  };
}

function noTime(got: string, options?: { cause: unknown }): ConfigurationError {
  const message = `expected clock to return milliseconds since 1970, got ${got}: pass one such as Date.now`;
  return new ConfigurationError("option_invalid", message, options);
}
