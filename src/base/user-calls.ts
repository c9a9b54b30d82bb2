import { describeError } from "./errors.ts";
import type { Logger } from "./logger.ts";
import { OnceAMinute } from "./once-a-minute.ts";
import { printWarning } from "./print-warning.ts";
import { detach } from "./try-or.ts";

/** Takes note of what a user's function threw, or its promise rejected with. Never throws. */
export type Report = (thrown: unknown) => void;

/**
 * Reports failures of one of the user's functions, named as the user knows it: the first, and then
 * one a minute.
 */
export function reportTo(log: Pick<Logger, "error">, name: string): Report {
  const lines = new OnceAMinute<"failure">();
  return (thrown) => {
    const unlogged = lines.leftOut("failure", performance.now());
    if (unlogged === undefined) return;
    log.error({ error: describeError(thrown), unlogged: unlogged || undefined }, `${name} failed`);
  };
}

/** Reports to standard error, for what has no logger. */
export function reportAsWarning(name: string): Report {
  const log: Pick<Logger, "error"> = {
    error: (fields, message) => printWarning(`${message}: ${Object(fields).error}`),
  };
  return reportTo(log, name);
}

/** Calls a user's function whose result nobody waits for, a promise included. Never throws. */
export function callUser(call: () => unknown, report: Report): void {
  try {
    detach(call(), report);
  } catch (thrown) {
    report(thrown);
  }
}

/**
 * A user's function that returns a number. Whenever it fails, or returns anything else, `otherwise`
 * takes its place.
 */
export function numberFrom(
  call: () => unknown,
  otherwise: () => number,
  report: Report,
): () => number {
  return () => {
    try {
      const result = call();
      if (typeof result === "number" && Number.isFinite(result)) return result;
      detach(result);
      report(new TypeError(`expected a number, got ${typeof result}`));
    } catch (thrown) {
      report(thrown);
    }
    return otherwise();
  };
}
