import { setMaxListeners } from "node:events";
import { type ConfigurationError, HookporterError } from "../../errors.ts";
import { invalidOption } from "../../options/check-options.ts";
import type { TimeLimit } from "./run-options.ts";

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

/** The time of a drain. A handler starts only if its limit fits, so that a slow one fails rather than begin for ever. */
export class RunBudget implements TimeLimit {
  /** Resolves when the time is over, however much is under way. */
  readonly over: Promise<void>;
  /** Resolves when no handler can start any more. */
  readonly closed: Promise<void>;
  readonly #terms: BudgetTerms;
  readonly #aborter = new AbortController();
  /** Aborted shortly before the time is over, and when a shutdown no longer waits. */
  readonly signal: AbortSignal = this.#aborter.signal;
  /** By `performance.now()`. */
  readonly #lastStart: number;
  readonly #timers: NodeJS.Timeout[];
  readonly #close = () => this.#aborter.abort(this.#terms.closing.reason);
  #closeNow = () => {};

  /** @throws ConfigurationError `option_invalid` if no handler could ever start */
  constructor(terms: BudgetTerms) {
    const { budgetMs, since = performance.now(), handlerTimeout, stopping, closing } = terms;
    const margin = Math.min(MAX_MARGIN, budgetMs * MARGIN);
    const startable = budgetMs - margin - handlerTimeout;
    if (startable < margin) throw tooShort(budgetMs, handlerTimeout);
    this.#terms = terms;
    this.#lastStart = since + startable;
    setMaxListeners(0, this.#aborter.signal);
    this.#timers = [];
    const gone = performance.now() - since;
    const after = (ms: number, call: () => void) => {
      this.#timers.push(setTimeout(call, Math.max(0, ms - gone)));
    };
    this.over = new Promise((resolve) => after(budgetMs, resolve));
    this.closed = new Promise((resolve) => {
      this.#closeNow = resolve;
      after(startable, resolve);
    });
    after(budgetMs - margin, () => this.#aborter.abort(overdue(budgetMs)));
    stopping.addEventListener("abort", this.#closeNow);
    closing.addEventListener("abort", this.#close);
    if (closing.aborted) this.#close();
  }

  fits(): boolean {
    return !this.#terms.stopping.aborted && performance.now() <= this.#lastStart;
  }

  end(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#terms.stopping.removeEventListener("abort", this.#closeNow);
    this.#terms.closing.removeEventListener("abort", this.#close);
  }
}

function tooShort(budgetMs: number, handlerTimeout: number): ConfigurationError {
  const least = Math.ceil(Math.min(handlerTimeout / (1 - 2 * MARGIN), handlerTimeout + 2 * MAX_MARGIN));
  return invalidOption(
    `expected budget to be at least ${least} ms, so that a handler can use its handlerTimeout of ${handlerTimeout} ms, ` +
      `got ${budgetMs} ms: raise it, or lower handlerTimeout`,
  );
}

function overdue(budgetMs: number): HookporterError {
  return new HookporterError(
    "closed",
    `expected the handler to finish within the drain's ${budgetMs} ms, got no result: the entry will run again`,
  );
}
