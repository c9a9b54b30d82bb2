import { cutText } from "../cut-text.ts";
import { HookporterError } from "../errors.ts";
import type { AttemptRecord } from "../inbox/attempt-record.ts";
import { describeFailure } from "./failure.ts";
import { OwnSignal } from "./own-signal.ts";
import type { TargetFailure } from "./target.ts";

/** Maximum bytes of a note: a handler may note a whole page. */
const MAX_BYTES = 2048;

/** A run of a handler. */
export interface HandlerRun {
  readonly record: AttemptRecord;
  /** What the handler's error says about the next attempt. */
  readonly failure: TargetFailure;
}

/** The identity and the limits of one run of a handler. */
export interface RunLimits {
  readonly handler: string;
  readonly attempt: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly clock: () => number;
}

/**
 * Runs one handler with a time limit and records how it ended. Never throws, whatever the handler throws. The handler's
 * signal is aborted when its time is over or when the outer signal is aborted. A handler that ignores its signal is
 * abandoned: what it returns or notes later is ignored.
 */
export async function runHandler(
  run: (own: OwnSignal, note: (text: string) => void) => unknown,
  options: RunLimits,
): Promise<HandlerRun> {
  const { handler, attempt, timeoutMs, signal, clock } = options;
  const startedAt = clock();
  const start = performance.now();
  const notes: string[] = [];
  const note = (text: string) => void notes.push(cutText(String(text), MAX_BYTES));
  const end = (
    outcome: AttemptRecord["outcome"],
    { error, failure }: Pick<AttemptRecord, "error" | "failure">,
    thrown?: unknown,
  ): HandlerRun => {
    const durationMs = Math.round((performance.now() - start) * 100) / 100;
    const noted = notes.length === 0 ? null : cutText(notes.join("\n"), MAX_BYTES);
    const record = { attempt, handler, startedAt, durationMs, outcome, error, failure, note: noted };
    return { record, failure: failureOf(thrown) };
  };
  const own = new OwnSignal();
  let stop = (_: unknown) => {};
  const ended = new Promise<unknown>((resolve, reject) => {
    stop = (reason) => {
      own.abort(reason);
      reject(reason);
    };
    Promise.resolve()
      .then(() => run(own, note))
      .then(resolve, reject);
  });
  const stopWithAll = () => stop(signal.reason);
  signal.addEventListener("abort", stopWithAll);
  let overdue: HookporterError | undefined; // made only when needed: errors are expensive to create
  const timer = setTimeout(() => {
    overdue = new HookporterError(
      "handler_timeout",
      `expected the handler to finish within ${timeoutMs} ms, got no result: make it faster, or raise handlerTimeout`,
    );
    stop(overdue);
  }, timeoutMs);
  if (signal.aborted) stopWithAll();
  try {
    await ended;
    return end("ok", { error: null, failure: null });
  } catch (thrown) {
    const late = overdue !== undefined && own.reason === overdue;
    if (late) return end("timeout", { error: overdue?.message ?? null, failure: null }, OVERDUE);
    return end("error", describeFailure(thrown), thrown);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stopWithAll);
  }
}

/** A handler that did not end in time says nothing about its target. */
const OVERDUE: TargetFailure = { away: "perhaps" };

/** What a handler's error says about the next attempt. Never throws, whatever was thrown. */
function failureOf(thrown: unknown): TargetFailure {
  try {
    const { away, final } = (thrown ?? {}) as { away?: unknown; final?: unknown };
    return {
      retryAfterMs: retryAfterOf(thrown),
      ...((away === true || away === "perhaps") && { away }),
      ...(final === true && { final }),
    };
  } catch {
    return {};
  }
}

/**
 * The milliseconds that a handler's error asks to wait before the entry runs again: its `retryAfterMs`, if that is a
 * number. Never throws, whatever was thrown.
 */
function retryAfterOf(thrown: unknown): number | undefined {
  try {
    const asked: unknown = (thrown as { retryAfterMs?: unknown } | null | undefined)?.retryAfterMs;
    return typeof asked === "number" && !Number.isNaN(asked) ? Math.max(0, asked) : undefined;
  } catch {
    return undefined;
  }
}
