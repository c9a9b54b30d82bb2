import { HookporterError } from "../../base/errors.ts";
import { invalidOption } from "../../base/options/check-options.ts";
import { allowManyListeners } from "../../base/stand-ins.ts";

/** The longest time that is kept for claiming entries, and for storing results, in milliseconds. */
export const MAX_MARGIN = 1000;

/** A share of a short budget that is kept for each. */
const MARGIN = 0.1;

interface BudgetTerms {
  readonly budgetMs: number;
  /** When it began, by `performance.now()`. Default: now. */
  readonly since?: number;
  readonly handlerTimeout: number;
  /** Aborted when a shutdown begins: no handler starts any more. */
  readonly stopping: AbortSignal;
  /** Aborted when a shutdown no longer waits for handlers. */
  readonly closing: AbortSignal;
}

export type RunBudget = ReturnType<typeof runBudget>;

/**
 * The time of a drain. A handler starts only if its limit fits, so that a slow one fails rather
 * than begin for ever.
 *
 * @throws ConfigurationError `option_invalid` if no handler could ever start
 */
export function runBudget(terms: BudgetTerms) {
  const { budgetMs, since = performance.now(), handlerTimeout, stopping, closing } = terms;
  const margin = Math.min(MAX_MARGIN, budgetMs * MARGIN);
  const startable = budgetMs - margin - handlerTimeout;
  if (startable < margin) {
    const least = Math.ceil(
      Math.min(handlerTimeout / (1 - 2 * MARGIN), handlerTimeout + 2 * MAX_MARGIN),
    );
    throw invalidOption(
      `expected budget to be at least ${least} ms, so that a handler can use its handlerTimeout of ${handlerTimeout} ms, ` +
        `got ${budgetMs} ms: raise it, or lower handlerTimeout`,
    );
  }
  const aborter = new AbortController();
  const signal: AbortSignal = aborter.signal;
  allowManyListeners(signal);
  const timers: NodeJS.Timeout[] = [];
  const gone = performance.now() - since;
  const after = (ms: number, call: () => void) => {
    timers.push(setTimeout(call, Math.max(0, ms - gone)));
  };
  /** Resolves when the time is over, however much is under way. */
  const over = new Promise<void>((resolve) => after(budgetMs, resolve));
  let closeNow = () => {};
  /** Resolves when no handler can start any more. */
  const closed = new Promise<void>((resolve) => {
    closeNow = resolve;
    after(startable, resolve);
  });
  const overdue = `expected the handler to finish within the drain's ${budgetMs} ms, got no result: the entry will run again`;
  after(budgetMs - margin, () => aborter.abort(new HookporterError("closed", overdue)));
  const close = () => aborter.abort(closing.reason);
  stopping.addEventListener("abort", closeNow);
  closing.addEventListener("abort", close);
  if (closing.aborted) close();
  const fits = () => !stopping.aborted && performance.now() <= since + startable;
  const end = () => {
    for (const timer of timers) clearTimeout(timer);
    stopping.removeEventListener("abort", closeNow);
    closing.removeEventListener("abort", close);
  };
  /** The signal is aborted shortly before the time is over, and when a shutdown no longer waits. */
  return { over, closed, signal, fits, end };
}
