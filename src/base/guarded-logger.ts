import { describeError } from "./errors.ts";
import type { Logger } from "./logger.ts";
import { printWarning } from "./print-warning.ts";
import { callUser } from "./user-calls.ts";

/**
 * The same one for each logger, since a line goes once to each that the receivers of an inbox have.
 */
const GUARDED = new WeakMap<Logger, Logger>();

/**
 * A user's logger as it is called everywhere here: whatever it throws, or its promises reject with,
 * changes nothing for its caller. A process warning says so once, since no other line may arrive.
 */
export function guardedLogger(log: Logger): Logger {
  const known = GUARDED.get(log);
  if (known !== undefined) return known;
  let isReported = false;
  const line = (level: keyof Logger) => {
    const report = (thrown: unknown) => {
      if (isReported) return;
      isReported = true;
      printWarning(
        `log.${level} failed: ${describeError(thrown)}: lines of the log may be missing`,
      );
    };
    // Looked up for each line, since pino replaces its methods when its level is set.
    return (fields: object, message: string) => callUser(() => log[level](fields, message), report);
  };
  const guarded = {
    debug: line("debug"),
    info: line("info"),
    warn: line("warn"),
    error: line("error"),
    isLevelEnabled: isLevelEnabledOf(log),
  };
  GUARDED.set(log, guarded).set(guarded, guarded);
  return guarded;
}

/**
 * The method of pino and others that says whether a level is logged. It may throw: guard each call.
 */
function isLevelEnabledOf(log: Logger & { isLevelEnabled?: unknown }): unknown {
  return typeof log.isLevelEnabled === "function" ? log.isLevelEnabled.bind(log) : undefined;
}
