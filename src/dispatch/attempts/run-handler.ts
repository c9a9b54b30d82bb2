import { HookporterError } from "../../base/errors.ts";
import { describeFailure } from "../../base/failures/failure.ts";
import { isPromiseLike } from "../../base/guards.ts";
import { cutText } from "../../base/text/cut-text.ts";
import type { AttemptRecord } from "../../inbox/attempt-record.ts";
import type { TargetFailure } from "../plan/target.ts";
import { OwnSignal } from "./handler-context.ts";
import { limitTime } from "./time-limits.ts";

/** Maximum bytes of a note: a handler may note a whole page. */
export const MAX_BYTES = 2048;

/** A handler has run, well or not. */
export interface HandlerRun {
  readonly type: "ran";
  readonly record: AttemptRecord;
  readonly failure: TargetFailure;
}

export interface RunLimits {
  readonly handler: string;
  readonly attempt: number;
  readonly timeout: number;
  readonly signal: AbortSignal;
  readonly clock: () => number;
}

/**
 * Runs one handler with a time limit and records how it ended. Never throws, whatever the handler
 * throws. Returns no promise if the handler returns none, since promises and timers are expensive.
 * The handler's signal is aborted when its time is over or when the outer signal is aborted. A
 * handler that ignores its signal is abandoned: what it returns or notes later is ignored.
 */
export function runHandler(
  run: (own: OwnSignal, note: (text: string) => void) => unknown,
  limits: RunLimits,
): HandlerRun | Promise<HandlerRun> {
  const running = new Running(limits);
  if (limits.signal.aborted) running.own.abort(limits.signal.reason);
  let result: unknown;
  try {
    result = run(running.own, (text) => running.note(text));
    if (!isPromiseLike(result) && !limits.signal.aborted) return running.end("ok");
  } catch (thrown) {
    if (!limits.signal.aborted) return running.failed(thrown);
    result = Promise.reject(thrown);
  }
  return endOf(result, running, limits);
}

/** How a handler ends that has not ended yet, or that began after the outer signal was aborted. */
function endOf(
  result: unknown,
  running: Running,
  { timeout, signal }: RunLimits,
): Promise<HandlerRun> {
  return new Promise((resolve) => {
    const stop = (reason: unknown, how: HandlerRun) => {
      ended();
      running.own.abort(reason);
      resolve(how);
    };
    const overdue = () => {
      const error = new HookporterError(
        "handler_timeout",
        `expected the handler to finish within ${timeout} ms, got no result: make it faster, or raise handlerTimeout`,
      );
      stop(error, running.end("timeout", { error: error.message, failure: null }, OVERDUE));
    };
    const stopWithAll = (reason: unknown) => stop(reason, running.failed(reason));
    const ended = limitTime({ overdue, stop: stopWithAll }, timeout, signal);
    Promise.resolve(result).then(
      () => {
        ended();
        resolve(running.end("ok"));
      },
      (thrown) => {
        ended();
        resolve(running.failed(thrown));
      },
    );
    if (signal.aborted) stopWithAll(signal.reason);
  });
}

class Running {
  readonly own = new OwnSignal();
  readonly #limits: RunLimits;
  readonly #startedAt: number;
  readonly #start = performance.now();
  #notes: string[] | undefined;

  constructor(limits: RunLimits) {
    this.#limits = limits;
    this.#startedAt = limits.clock();
  }

  note(text: string): void {
    this.#notes ??= [];
    this.#notes.push(cutText(String(text), MAX_BYTES));
  }

  failed(thrown: unknown): HandlerRun {
    return this.end("error", describeFailure(thrown), failureOf(thrown));
  }

  end(
    outcome: AttemptRecord["outcome"],
    { error, failure }: Pick<AttemptRecord, "error" | "failure"> = NO_ERROR,
    reported = NOTHING_SAID,
  ): HandlerRun {
    const { handler, attempt } = this.#limits;
    const startedAt = this.#startedAt;
    const duration = Math.round((performance.now() - this.#start) * 100) / 100;
    const note = this.#notes === undefined ? null : cutText(this.#notes.join("\n"), MAX_BYTES);
    const record = { attempt, handler, startedAt, duration, outcome, error, failure, note };
    return { type: "ran", record, failure: reported };
  }
}

/** A handler that did not end in time says nothing about its target. */
const OVERDUE: TargetFailure = { away: "perhaps" };

/** Of a handler that did not fail. */
const NO_ERROR = { error: null, failure: null };
const NOTHING_SAID: TargetFailure = {};

/** What a handler's error says about the next attempt. Never throws, whatever was thrown. */
function failureOf(thrown: unknown): TargetFailure {
  try {
    const { away, final, retryAfter } = (thrown ?? {}) as Partial<Record<string, unknown>>;
    const asked =
      typeof retryAfter === "number" && !Number.isNaN(retryAfter) ? retryAfter : undefined;
    return {
      retryAfter: asked === undefined ? undefined : Math.max(0, asked),
      ...((away === true || away === "perhaps") && { away }),
      ...(final === true && { final }),
    };
  } catch {
    return {};
  }
}
